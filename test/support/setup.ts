/** Every test starts from the same state: no settings of the user who runs it, and no session around it. */
for (const name of Object.keys(process.env)) {
  if (name.startsWith('GIT_') || name.startsWith('UMPIRE_')) delete process.env[name]
}
process.env.GIT_CONFIG_GLOBAL = '/dev/null'
process.env.GIT_CONFIG_NOSYSTEM = '1'
process.env.XDG_CONFIG_HOME = '/nonexistent'
