"""What `examine` is judged by: the book's silent cases as models, and models nobody here wrote."""
