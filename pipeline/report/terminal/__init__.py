"""What stands on a terminal: tables that fit its width, and sentences that break between words."""
