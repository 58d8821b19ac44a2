"""Quality assurance over many documents: the facts of each file, and what is wrong with it.

`inspect_one` looks at one file, `Inspector` at many and yields their records in order; `jsonl` and `junit` write them
down. Readers of the shared converter, in lane HIGH.
"""
