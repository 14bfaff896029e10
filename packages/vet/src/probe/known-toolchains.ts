import type { Toolchain } from './toolchain.js'
import { javascript } from './toolchains/javascript.js'
import { python } from './toolchains/python.js'

/** Every toolchain that probes know. */
export const toolchains: readonly Toolchain[] = [javascript, python]
