"""Suspicions about texts that a sample of their lines gives."""
