"""The parts of the pytest plugin; those that an option switches on are imported only then."""
