def page(found, plan):
    return f"{len(found)} cells\n"
