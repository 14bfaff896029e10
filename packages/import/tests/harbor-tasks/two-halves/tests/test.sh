#!/bin/bash
half=0
for side in left right; do
  [ "$(cat "/app/$side.txt" 2>/dev/null)" = "$side" ] && half=$((half + 5))
done
case $half in 10) reward=1.0 ;; 5) reward=0.5 ;; *) reward=0.0 ;; esac
echo "{\"reward\": $reward}" > /logs/verifier/reward.json
