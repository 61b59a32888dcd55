"""What somebody would take in Countersign's place, each set up as its own documentation shows it:
an agent with one tool, and its history in a SQLite file."""
