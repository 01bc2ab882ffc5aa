"""`python -m millrace` is the command `millrace`."""

from .cli.main import main

main()
