"""Rulings as everybody reads them: `acts`, what officials did and why, appeals, and who reads what was said."""
