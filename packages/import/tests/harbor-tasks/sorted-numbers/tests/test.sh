#!/bin/bash
diff <(sort -n /app/numbers.txt) /app/sorted.txt && reward=1 || reward=0
echo "$reward" > /logs/verifier/reward.txt
exit 3
