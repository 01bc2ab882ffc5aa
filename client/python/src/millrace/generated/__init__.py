"""What the Python client shares with the TypeScript one, generated from the same declarations."""
