#!/bin/bash
. /tests/expected.sh
[ "$(bash /app/bin/add.sh 2 3)" = "$EXPECTED" ] && sum=1 || sum=0
[ -d /app/tmp ] && [ -e /app/Dockerfile ] && [ "$MODE" = strict ] && clean=1 || clean=0
echo "{\"sum\": $sum, \"clean\": $clean}" > /logs/verifier/reward.json
