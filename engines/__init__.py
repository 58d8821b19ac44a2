"""Engines: one document in, one PDF out. Knows no queue, no cache, no widget."""
