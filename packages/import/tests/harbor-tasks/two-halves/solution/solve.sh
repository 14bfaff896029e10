#!/bin/bash
for side in left right; do echo "$side" > "$side.txt"; done
