/** Every test starts from the same world: no settings of the person who runs it, no session around it. */
for (const name of Object.keys(process.env)) {
  if (name.startsWith('GIT_') || name.startsWith('UMPIRE_')) delete process.env[name]
}
process.env.GIT_CONFIG_GLOBAL = '/dev/null'
process.env.GIT_CONFIG_NOSYSTEM = '1'
process.env.XDG_CONFIG_HOME = '/nonexistent'
