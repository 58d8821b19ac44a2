"""docpeek inside Jupyter: what stands between the conversion service and an asyncio loop."""
