"""The figures of a page, drawn as SVG."""
