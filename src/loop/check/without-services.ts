/**
 * The environment without what leads to a service of the machine or of the person's session: keys, containers, the desktop,
 * other machines. For commands that nobody has judged.
 */
export function withoutServices(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(([name, value]) => !services.test(name) && !address.test(value)),
  )
}

const services =
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|DBUS_.*|DOCKER_.*|CONTAINER_HOST|PODMAN_.*|KUBECONFIG|XDG_RUNTIME_DIR|XAUTHORITY|DISPLAY|WAYLAND_.*|PULSE_SERVER|PIPEWIRE_.*|NOTIFY_SOCKET|LISTEN_(?:FDS|PID|FDNAMES)|TMUX|STY|VSCODE_.*|.*_SOCK|.*_SOCKET)$/

/** Of a socket, whatever the variable is called. */
const address = /^(?:unix:|(?:\/var)?\/run\/.*\.sock(?:et)?$)/
