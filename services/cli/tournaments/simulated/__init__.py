"""A rehearsal beyond its course.

stopping    it is stopped at random steps, and goes on
telling     what is printed of it
"""
