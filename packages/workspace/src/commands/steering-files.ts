import { posix } from 'node:path'

/** The tools whose runs can be steered by files that somebody leaves beside the code. */
export type SteeredTool =
  | 'maven'
  | 'gradle'
  | 'npm'
  | 'pnpm'
  | 'yarn'
  | 'cargo'
  | 'go'
  | 'pytest'
  /** A command that may run any of them. */
  | 'command'

/** What is put in the place of a library of tests, and what such a library loads by itself. */
const javaTests: readonly string[] = [
  '**/org/{junit,testng,opentest4j,apiguardian,hamcrest,assertj,mockito}/**',
  '**/META-INF/services/org.{junit,testng,apache.maven,codehaus.groovy,jetbrains.kotlin}.**',
  // Compilers run what these name, in their own process: processors of annotations, plug-ins, parts of the JDK.
  '**/META-INF/services/{javax.annotation.processing,javax.tools,java,jdk,com.sun}.**',
  '**/junit-platform.properties',
  // Nobody writes these, and a compiler would find them before the sources.
  '**/*.class',
]
const maven: readonly string[] = [
  '**/.mvn/{jvm.config,maven.config,extensions.xml,settings.xml}',
  // Classes that are newer than the sources laid over them would not be compiled again.
  '**/target/{classes,test-classes,maven-status}/**',
  ...javaTests,
]
const gradle: readonly string[] = [
  '{build,settings,init}.gradle{,.kts}',
  '{gradle.properties,buildSrc/**,init.d/**,.gradle/**}',
  'gradle/{*.gradle{,.kts},*.properties,*.toml}',
  '**/build/classes/**',
  ...javaTests,
]
const scripts: readonly string[] = [
  '{vitest,vite,jest,ava,playwright,playwright-ct,karma,cypress,wdio,web-test-runner}.config.*',
  'vitest.{workspace,projects}.*',
  '.{mocharc,c8rc,nycrc,taprc}{,.*}',
  // These are looked for beside every file that is loaded.
  '**/{babel,postcss}.config.*',
  '**/.{babelrc,swcrc,postcssrc}{,.*}',
  '**/__mocks__/**',
  '{,.}bunfig.toml',
  'node.config.json',
  '.pnp.{cjs,js,mjs}',
  '.pnp.{data.json,loader.mjs}',
]
const npm: readonly string[] = ['.npmrc', ...scripts]
const pnpm: readonly string[] = ['.npmrc', '.pnpmfile.{cjs,mjs}', 'pnpm-workspace.yaml', ...scripts]
const yarn: readonly string[] = ['.npmrc', '.yarnrc', '.yarnrc.yml', '.yarn/{plugins,releases,sdks}/**', ...scripts]
const cargo: readonly string[] = ['.cargo/**', '.config/nextest.toml', 'rust-toolchain{,.toml}', '**/build.rs']
// Tests of a package are one program, which a `TestMain` in any of their files begins and ends.
const go: readonly string[] = ['go.work', 'go.work.sum', 'vendor/**', '**/*_test.go']
/** What `python -m pytest` and `python -m unittest` load before the first test; the workspace comes first in the path. */
const shadowed = [
  'pytest,_pytest,pluggy,iniconfig,packaging,pygments,exceptiongroup,tomli,colorama,coverage,pytest_cov,xdist,execnet,py',
  'abc,argparse,ast,base64,bdb,bisect,bz2,cmd,codecs,codeop,collections,contextlib,copy,copyreg,csv,dataclasses,datetime',
  'difflib,dis,doctest,enum,fnmatch,functools,genericpath,gettext,glob,hashlib,heapq,importlib,inspect,io,ipaddress,json',
  'keyword,linecache,locale,logging,lzma,ntpath,numbers,opcode,operator,os,pathlib,pdb,platform,posixpath,pprint,random,re',
  'readline,reprlib,runpy,selectors,shlex,shutil,signal,site,socket,stat,string,struct,subprocess,tempfile,textwrap',
  'threading,token,tokenize,traceback,types,typing,unittest,urllib,uuid,warnings,weakref,xml,zipfile,zipimport',
  '__future__,_bootlocale,_collections_abc,_compression,_pydecimal,_sitebuiltins,_weakrefset,_distutils_hack',
].join()
const pytest: readonly string[] = [
  '**/{conftest,sitecustomize,usercustomize}.py',
  '{,.}pytest.{ini,toml}',
  '{tox.ini,setup.cfg,pyproject.toml}',
  `{${shadowed}}{,/__init__}{.py,.so,.*.so,.pyd}`,
  '.coveragerc',
  // Compiled files may say that they need not be compared with their sources.
  '**/__pycache__/**',
  '**/*.{pth,pyc}',
  '**/*.{egg-info,dist-info}/**',
]
const make: readonly string[] = ['{GNUmakefile,makefile,Makefile}']
const others: readonly string[] = [
  '.rspec{,-local}',
  'phpunit{,.dist}.xml{,.dist}',
  'Directory.Build.{props,targets}',
  '{xunit.runner.json,.runsettings,*.runsettings}',
]

/**
 * Those that define a build and not only a run. An agent may have changed them for good reasons, and putting in the
 * reference's would do its work for it.
 */
export const buildDefinitions: readonly string[] = [
  '{build,settings}.gradle{,.kts}',
  '{gradle.properties,buildSrc/**}',
  'gradle/{*.gradle{,.kts},*.properties,*.toml}',
  'pnpm-workspace.yaml',
  '{.cargo/**,rust-toolchain{,.toml},**/build.rs,go.work,go.work.sum,vendor/**,**/*_test.go}',
  '{tox.ini,setup.cfg,pyproject.toml}',
  'Directory.Build.{props,targets}',
  ...make,
]

/** Globs of the files that steer a run of tests, from the directory it runs in. */
export const steeringFiles: { readonly [tool in SteeredTool]: readonly string[] } = {
  maven,
  gradle,
  npm,
  pnpm,
  yarn,
  cargo,
  go,
  pytest,
  command: [...new Set([...maven, ...gradle, ...pnpm, ...yarn, ...cargo, ...go, ...pytest, ...make, ...others])],
}

/** What a laid file of tests is compared with: the snapshots that runners keep beside it. */
export function snapshotsOf(path: string): readonly string[] {
  const { dir, base } = posix.parse(path)
  const beside = (place: string) => posix.join(dir, place)
  return [
    beside(`__snapshots__/${base}.snap`),
    beside(`snapshots/${base}.snap`),
    beside(`snapshots/${base}.md`),
    beside(`${base}.snapshot`),
  ]
}
