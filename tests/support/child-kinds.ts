/** The ways in which a child can try to be forgotten; the script makes one of each. */
export const childKinds = [
  'bg',
  'nohup',
  'setsid',
  'ignore',
  'stopped',
  'disowned',
  'jobctl',
  'orphan',
  'daemon',
  'daemon_clearenv',
  'daemon_keeptty',
  'fg',
] as const;

/** For bash. $D: folder in which each child leaves its pid under the name of its kind; $K: the testkit. */
export const childKindsScript = `w() { echo $2 > $D/$1.t; mv $D/$1.t $D/$1; }
sleep 3001 & w bg $!
nohup sleep 3002 >/dev/null 2>&1 & w nohup $!
setsid sleep 3003 & w setsid $!
(trap '' HUP TERM INT; exec sleep 3004) & w ignore $!
sleep 3005 & p=$!; kill -STOP $p; w stopped $p
sleep 3006 & w disowned $!; disown $!
set -m; sleep 3007 & w jobctl $!; set +m
(sleep 3008 & w orphan $!)
$K daemon $D/daemon keepenv /bin/sleep 3009
$K daemon $D/daemon_clearenv clearenv /bin/sleep 3010
$K daemon $D/daemon_keeptty keeptty /bin/sleep 3011
trap '' TERM
sh -c 'echo $$ > $D/fg.t; mv $D/fg.t $D/fg; exec sleep 3012'; :`;
