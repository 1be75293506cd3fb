"""What stands inside the interpreter between a model's program and the engine."""
