#!/usr/bin/env bash
# Installs the programs of others that the long tests run against: for each list of packages in tests/clients a virtual
# environment of its own in build/clients (their requirements clash). Safe to run again.
# Exit status: 0 ready, 1 an installer failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { echo "setup_clients: $*"; }

set_up_client() {
    local list=$1 name wanted folder stamp
    name=$(basename "$list" .txt)
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
    if ! /usr/bin/python3 -m venv "$folder" ||
        ! "$folder/bin/python" -m pip install -q --disable-pip-version-check -r "$list"; then
        say "$name could not be installed from $list (the installer's own message is above)" >&2
        exit 1
    fi
    echo "$wanted" >"$stamp"
}

if [ "${TRACELIFT_SKIP_SETUP:-0}" = 1 ]; then
    say "skipped (TRACELIFT_SKIP_SETUP=1)"
    exit 0
fi
for list in tests/clients/*.txt; do
    set_up_client "$list"
done
