import type { Toolchain } from './toolchain.js'
import { go } from './toolchains/go.js'
import { java } from './toolchains/java.js'
import { javascript } from './toolchains/javascript.js'
import { python } from './toolchains/python.js'
import { rust } from './toolchains/rust.js'

/** Every toolchain that probes know. */
export const toolchains: readonly Toolchain[] = [javascript, python, java, go, rust]
