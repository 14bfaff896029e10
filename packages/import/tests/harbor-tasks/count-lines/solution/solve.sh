#!/bin/bash
wc -l < data/lines.txt > count.txt
