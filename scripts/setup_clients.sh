#!/usr/bin/env bash
# Installs the programs of others that the long tests run against, each into a folder of its own in build/clients (their
# requirements clash): a virtual environment for each NAME.txt in tests/clients, npm's packages for each NAME.npm.
# Safe to run again.
# Exit status: 0 ready, 1 an installer failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { echo "setup_clients: $*"; }

# install_from_txt LIST FOLDER
install_from_txt() {
    /usr/bin/python3 -m venv "$2" && "$2/bin/python" -m pip install -q --disable-pip-version-check -r "$1"
}

# install_from_npm LIST FOLDER
install_from_npm() {
    local packages
    read -ra packages < <(xargs <"$1")
    mkdir -p "$2"
    npm install --silent --no-audit --no-fund --prefix "$2" "${packages[@]}"
}

set_up_client() {
    local list=$1 name wanted folder stamp
    name=$(basename "${list%.*}")
    folder=build/clients/$name
    stamp=$folder/.requirements.sha256
    wanted=$(sha256sum <"$list")
    if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
        say "$name: present"
        return
    fi
    say "installing $name"
    rm -rf "$folder"
    mkdir -p build/clients
    if ! "install_from_${list##*.}" "$list" "$folder"; then
        say "$name could not be installed from $list (the installer's own message is above)" >&2
        exit 1
    fi
    echo "$wanted" >"$stamp"
}

if [ "${TRACELIFT_SKIP_SETUP:-0}" = 1 ]; then
    say "skipped (TRACELIFT_SKIP_SETUP=1)"
    exit 0
fi
shopt -s nullglob
for list in tests/clients/*.{txt,npm}; do
    set_up_client "$list"
done
