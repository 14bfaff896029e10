#!/bin/bash
[ -e /app/count.txt ] || { echo 0 > /logs/verifier/reward.txt; exit; }
count=$(grep -x '[0-9]*' /app/count.txt) || { echo 'count.txt holds no number' >&2; exit 1; }
[ "$count" -eq 3 ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
