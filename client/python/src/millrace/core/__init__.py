"""The protocol without I/O: messages go in, events and messages to send come out. No sockets, no clocks."""
