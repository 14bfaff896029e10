// Before a package is packed: without `npm run build` the archive would have no program in it.
import { existsSync } from 'node:fs'

if (!existsSync('dist')) {
  console.error(`${process.env.npm_package_name} has not been built. Build it first, in the repository: npm run build`)
  process.exitCode = 1
}
