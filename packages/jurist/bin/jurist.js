#!/usr/bin/env node
// In a file of its own, so that npm links the command in a clone too, before the build has made what it runs.
import '#command'
