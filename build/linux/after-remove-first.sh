# Also run when a newer version takes over, by rpm even after that one was set up: then nothing may be removed. dpkg
# says what happens, rpm how many versions stay.
case "$1" in
    upgrade | failed-upgrade | abort-* | disappear | [1-9]*) exit 0 ;;
esac

# dpkg takes an empty /opt away with the package, although the system brought it.
[ -d /opt ] || mkdir -m 755 /opt
