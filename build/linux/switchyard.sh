#!/bin/sh
# bin/switchyard of an installed app, and what /usr/bin/switchyard links to: runs the app's own binary as Node, on the
# bundle of the command line. Linux:  APP/bin/switchyard.  macOS:  APP.app/Contents/Resources/app/bin/switchyard.

# The way through symlinks to this very file. `readlink -f` is missing on older systems.
self=$0
while [ -h "$self" ]; do
  target=$(readlink "$self")
  case $target in
    /*) self=$target ;;
    *) self=$(dirname "$self")/$target ;;
  esac
done
app=$(cd "$(dirname "$self")/.." && pwd -P) || exit 125

case $app in
  */Contents/Resources/app)
    program=${app%/Resources/app}/MacOS/Switchyard
    resources=${app%/app}
    ;;
  *)
    program=$app/switchyard
    resources=$app/resources
    ;;
esac
if [ ! -x "$program" ]; then
  printf 'switchyard: %s is not there. Install Switchyard again.\n' "$program" >&2
  exit 125
fi
ELECTRON_RUN_AS_NODE=1 exec "$program" "$resources/app.asar/out/main/cli.js" "$@"
