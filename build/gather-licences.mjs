// Makes `THIRD-PARTY-LICENSES.txt` of every published package, after the steps of the build that put parts of others into it.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gatherLicences } from './licences.mjs'

const packages = fileURLToPath(new URL('../packages', import.meta.url))

for (const directory of readdirSync(packages).map((name) => join(packages, name)))
  if (JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')).private !== true) gatherLicences(directory)
