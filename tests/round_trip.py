"""Models that are written to a file and come back."""

import novikoff


def there_and_back(model, path):
    """The model from its file, which is also checked to be the same when written again."""
    content = written(model, path)
    loaded = novikoff.load(path)
    for one in (loaded, model):
        assert written(one, path) == content
    return loaded


def written(model, path):
    """The bytes of the model's file."""
    path.unlink(missing_ok=True)  # to write over a file, some systems wait for the disk
    model.save(path)
    return path.read_bytes()
