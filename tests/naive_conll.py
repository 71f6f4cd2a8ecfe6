"""A reader of sentences as the formats' descriptions have them, line by line."""

import re


def read(text, *, conllu=False):
    """For each sentence the columns of its tokens; None if the text is wrong."""
    sentences, tokens, last = [], [], 0
    separator = columns = None
    for line in [*text.removeprefix("\ufeff").split("\n"), ""]:
        line = line.removesuffix("\r")
        if not line.strip(" \t"):
            if tokens:
                sentences.append(tokens)
            tokens, last = [], 0
            continue
        if conllu and line.startswith("#"):
            continue
        if separator is None:
            separator = "\t" if conllu or "\t" in line else " "
        if separator == "\t":
            own = line.split("\t")
        else:
            own = [part for part in re.split("[ \t]", line) if part]
        if columns is None:
            columns = 10 if conllu else len(own)
        if len(own) != columns or "" in own:
            return None
        if conllu:
            if own[0] == str(last + 1):
                last += 1
            elif found := re.fullmatch("([0-9]+)-([0-9]+)", own[0]):
                if int(found[1]) != last + 1 or int(found[2]) <= last:
                    return None
                continue
            elif found := re.fullmatch("([0-9]+)[.][0-9]+", own[0]):
                if int(found[1]) != last:
                    return None
                continue
            else:
                return None
        tokens.append(own)
    return sentences
