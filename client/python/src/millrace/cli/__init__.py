"""The command `millrace`: what the TypeScript command does, with the same output."""
