"""Rasterizing: pages of a PDF to pixels, in processes of their own."""
