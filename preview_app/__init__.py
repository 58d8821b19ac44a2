"""docpeek: see any office document, instantly and safely."""

__version__ = "0.1.0"
