"""Models that are written to a file and come back."""

import novikoff


def there_and_back(model, path):
    """The model from its file, which is also checked to be the same when written again."""
    model.save(path)
    content = path.read_bytes()
    loaded = novikoff.load(path)
    for one in (loaded, model):
        one.save(path)
        assert path.read_bytes() == content
    return loaded
