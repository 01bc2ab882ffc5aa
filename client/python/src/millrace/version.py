"""The version of this package, sent with the login."""

__version__ = '0.1.0'
