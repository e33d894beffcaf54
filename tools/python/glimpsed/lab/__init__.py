"""The laboratory: figures of the papers, and studies of the learners, by the daemon's own library.

`python -m glimpsed.lab --help` names the commands, README.md has what they measured. It needs glimpsed[lab] and Python 3.10.
"""
