"""The programs: what joins rules, views and drivers into something people can use."""
