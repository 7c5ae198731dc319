/* switchyard-runner: the session leader of one command's terminal.  It starts the command, reports its
 * true end, and is the one place from which the whole tree of that command can be killed.
 *
 *   switchyard-runner SOCKET TOKEN NONCE STDIN CWD PROGRAM [ARG...]
 *   STDIN: n = the command reads /dev/null, t = it reads the terminal.
 *
 * Lines on SOCKET, a unix stream socket of the host:
 *   to host  hello TOKEN PID | started PID | error STAGE ERRNO | stopped SIG | continued
 *            exit RAWSTATUS N [PID...] | empty | tree N [PID...] | killed | survivors N [PID...]
 *   to us    sig N | interrupt | kill | tree | mark K | release
 *
 * Invariants:
 *   - Only this process reaps its children, so a pid in its own child list cannot have been reused; a
 *     deeper one is signalled as soon as its own children were read.
 *   - It keeps the slave open until released: the master sees no hang-up before that, and the end mark
 *     stands behind every byte that the command wrote.
 *   - Nothing here waits for the terminal: a stopped or unread terminal cannot delay a kill.
 *   - A lost host (end of file on the socket) or SIGTERM ends the tree.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif
#ifdef __APPLE__
#include <libproc.h>
#endif

enum {
  GRACE_MS = 500,       /* from SIGTERM to SIGKILL when nobody is left who could name a grace */
  KILL_MS = 2000,       /* a kill is answered after this, with survivors if need be; it goes on all the same */
  TREE_MAX = 1 << 15,
  LOOKS_MAX = 8,                /* for what is forked while a signal goes round */
  LISTED_MAX = 64,
  STAGE_FORK = 0, STAGE_SETUP = 1, STAGE_CHDIR = 2, STAGE_EXEC = 3
};

static int host = -1;           /* control connection */
static int tty = -1;            /* our own opening of the slave, O_NONBLOCK */
static int wake[2];             /* written by the signal handler */
static pid_t command = -1;      /* the command; -1 once reaped */
static int raw_status;          /* its wait status, valid when has_ended */
static int has_ended;
static int has_children = 1;    /* 0: nothing of the tree is left */
static int is_killing;          /* a kill was asked for and is not answered by "killed" yet */
static int told_survivors;      /* ... and its bounded first round failed */

static long long now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static int close_on_exec(int fd) {
  if (fd >= 0) fcntl(fd, F_SETFD, FD_CLOEXEC);
  return fd;
}

/* ---- the tree ------------------------------------------------------------------------------ */

static struct { int n; pid_t pid[TREE_MAX]; } tree;     /* filled by walk(); untouched pages cost nothing */

static void add(pid_t pid) {            /* beyond the limit: met in the kill loop's next pass */
  if (tree.n < TREE_MAX) tree.pid[tree.n++] = pid;
}

#ifdef __linux__
/* For kernels without .../children: every process and its parent, read once a walk. */
static struct { pid_t pid, parent; } table[TREE_MAX];
static int table_n;                     /* -1: not yet read in this walk */

static void read_table(void) {
  char path[300], line[512], *s;
  struct dirent *e;
  DIR *d = opendir("/proc");
  for (table_n = 0; d && table_n < TREE_MAX && (e = readdir(d));) {
    if (e->d_name[0] < '1' || e->d_name[0] > '9') continue;
    snprintf(path, sizeof path, "/proc/%s/stat", e->d_name);
    FILE *f = fopen(path, "re");
    if (f && fgets(line, sizeof line, f) && (s = strrchr(line, ')'))) {
      table[table_n].pid = (pid_t)atol(line);
      table[table_n++].parent = (pid_t)atol(s + 4);
    }
    if (f) fclose(f);
  }
  if (d) closedir(d);
}

/* A child is listed under the thread that forked it, so the lists of all threads are read. */
static void add_children_of(pid_t parent) {
  char path[300];
  struct dirent *e;
  int pid, gap = 0;
  snprintf(path, sizeof path, "/proc/%ld/task", (long)parent);
  DIR *d = opendir(path);
  while (d && (e = readdir(d))) {
    if (e->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/%ld/task/%s/children", (long)parent, e->d_name);
    FILE *f = fopen(path, "re");
    while (f && fscanf(f, "%d", &pid) == 1) add(pid);
    if (f) fclose(f);
    else gap = 1;                       /* the thread ended, or this kernel has no such file */
  }
  if (d) closedir(d);
  if (!gap || access("/proc/thread-self/children", F_OK) == 0) return;
  if (table_n < 0) read_table();
  for (int i = 0; i < table_n; i++)
    if (table[i].parent == parent) add(table[i].pid);
}

static void begin_walk(void) { table_n = -1; }
static void add_adopted(void) {}        /* the sub-reaper's child list has them */
#elif defined(__APPLE__)
static void add_listed(uint32_t kind, uint32_t what) {
  int size = proc_listpids(kind, what, NULL, 0) + 256;
  pid_t *v = malloc((size_t)size);
  int n = v ? proc_listpids(kind, what, v, size) / (int)sizeof *v : 0;
  for (int i = 0; i < n; i++)
    if (v[i] > 1 && v[i] != getpid()) add(v[i]);
  free(v);
}

static void add_children_of(pid_t parent) { add_listed(PROC_PPID_ONLY, (uint32_t)parent); }
static void begin_walk(void) {}
static void add_adopted(void) {         /* there is no sub-reaper: what kept our terminal */
  struct stat st;
  if (fstat(tty, &st) == 0) add_listed(PROC_TTY_ONLY, (uint32_t)st.st_rdev);
}
#endif

/* All descendants; each gets SIG, if not 0, at the moment it is found. */
static void walk(int sig) {
  tree.n = 0;
  begin_walk();
  add_children_of(getpid());
  add_adopted();
  for (int i = 0; i < tree.n; i++) {
    int is_known = 0;
    for (int j = 0; j < i && !is_known; j++) is_known = tree.pid[j] == tree.pid[i];
    if (is_known) { tree.pid[i--] = tree.pid[--tree.n]; continue; }
    add_children_of(tree.pid[i]);      /* before the signal: the children of a dead process cannot be read */
    if (sig) kill(tree.pid[i], sig);
  }
}

/* A signal that a process may heed goes to each of the tree once.  What was forked while we looked is met in a
 * further look; a tree that forks without end is left to the kill. */
static void signal_tree(int sig) {
  static pid_t told[TREE_MAX];
  int n = 0, is_new = 1;
  walk(sig);
  for (; n < tree.n; n++) told[n] = tree.pid[n];
  for (int look = 0; look < LOOKS_MAX && is_new; look++) {
    is_new = 0;
    walk(0);
    for (int i = 0; i < tree.n && n < TREE_MAX; i++) {
      int is_told = 0;
      for (int j = 0; j < n && !is_told; j++) is_told = told[j] == tree.pid[i];
      if (is_told) continue;
      kill(tree.pid[i], sig);
      told[n++] = tree.pid[i];
      is_new = 1;
    }
  }
}

/* ---- words to the host --------------------------------------------------------------------- */

enum { ALONE = 0, WITH_TREE = 1 };

/* A blocked send ends when the host reads or dies; an error shows as end of file in the loop. */
static void say(const char *verb, long value, int what) {
  char line[64 + LISTED_MAX * 12];
  int n = snprintf(line, sizeof line, "%s", verb);
  if (value >= 0) n += snprintf(line + n, sizeof line - (size_t)n, " %ld", value);
  if (what == WITH_TREE) {
    n += snprintf(line + n, sizeof line - (size_t)n, " %d", tree.n);
    for (int i = 0; i < tree.n && i < LISTED_MAX; i++)
      n += snprintf(line + n, sizeof line - (size_t)n, " %ld", (long)tree.pid[i]);
  }
  line[n++] = '\n';
  for (int sent = 0; sent < n;) {
    ssize_t w = write(host, line + sent, (size_t)(n - sent));
    if (w > 0) sent += (int)w;
    else if (errno != EINTR) return;
  }
}

/* ---- reaping and killing ------------------------------------------------------------------- */

static void reap(void) {
  int st;
  pid_t p;
  while ((p = waitpid(-1, &st, WNOHANG | WUNTRACED | WCONTINUED)) > 0) {
    if (p != command) continue;
    if (WIFSTOPPED(st)) say("stopped", WSTOPSIG(st), ALONE);
    else if (WIFCONTINUED(st)) say("continued", -1, ALONE);
    else { command = -1; raw_status = st; has_ended = 1; }
  }
  has_children = !(p < 0 && errno == ECHILD);
}

static int drain_wake(void) {           /* returns 1 if SIGTERM was among the signals */
  char b[64];
  int has_term = 0;
  for (ssize_t r; (r = read(wake[0], b, sizeof b)) > 0;) has_term |= memchr(b, SIGTERM, (size_t)r) != NULL;
  return has_term;
}

/* SIGKILL the tree until we have no children.  What a dying process leaves behind becomes our child and
 * is met in the next pass, so nothing can outrun the loop.  Whole tree at once, not level by level: under
 * a fork bomb each level costs a scheduling round.  Returns 0 if some are left after MS. */
static int kill_tree(int ms) {
  struct pollfd f = {wake[0], POLLIN, 0};
  long long end = now_ms() + ms;
  int had = 0, nap = 0;
  pid_t last = 0;
  for (reap(); has_children && now_ms() <= end; reap()) {
    walk(SIGKILL);
    pid_t newest = tree.n ? tree.pid[tree.n - 1] : 0;
    nap = tree.n > had || newest != last ? 0 : nap < 20 ? nap + 1 : 20;       /* spin only while new ones come */
    had = tree.n;
    last = newest;
    if (poll(&f, 1, nap) > 0) drain_wake();
  }
  return !has_children;
}

/* ---- the end mark -------------------------------------------------------------------------- */

static char nonce[48], mark[96];
static int mark_len, mark_off, mark_nap;        /* the mark on its way to the terminal */

static void set_mark(int k) {           /* digits only, so that OLCUC cannot change it */
  mark_len = snprintf(mark, sizeof mark, "\033]7777;%s;%d\007", nonce, k);
  mark_off = mark_nap = 0;
}

static void push_mark(void) {
  while (mark_len) {
    ssize_t w = write(tty, mark + mark_off, (size_t)(mark_len - mark_off));
    if (w > 0 && (mark_off += (int)w) == mark_len) mark_len = 0;
    if (w > 0 || errno == EINTR) continue;
    if (errno != EAGAIN) mark_len = 0;  /* hung up: nobody reads */
    mark_nap = mark_nap < 64 ? mark_nap * 2 + 1 : 64;
    if (!has_ended) return;
    tcflow(tty, TCOOFF);                /* ^S must not hold the end; without OFF, ON has no effect */
    tcflow(tty, TCOON);
    return;
  }
}

/* ---- start --------------------------------------------------------------------------------- */

static void die(const char *what) {     /* the host is not reached yet: only the terminal can tell */
  dprintf(2, "runner: %s: %s\r\n", what, strerror(errno));
  _exit(125);
}

static void on_signal(int sig) {
  int e = errno;
  char c = (char)sig;
  if (write(wake[1], &c, 1) < 0) {}     /* a full pipe wakes as well */
  errno = e;
}

static void close_from(int low) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, (unsigned)low, ~0U, 0U) == 0) return;
#endif
  DIR *d = opendir("/dev/fd");
  struct dirent *e;
  while (d && (e = readdir(d)))
    if (atoi(e->d_name) >= low && atoi(e->d_name) != dirfd(d)) close(atoi(e->d_name));
  if (d) closedir(d);
  else for (int i = low; i < 65536; i++) close(i);
}

/* In the child.  Dispositions are reset last: tcsetpgrp needs SIGTTOU ignored. */
static void run_command(int report, char kind, const char *cwd, char **argv) {
  int failed[2] = {STAGE_SETUP, 0}, fd;
  sigset_t none;
  if (setpgid(0, 0) < 0 || tcsetpgrp(tty, getpid()) < 0) goto out;
  if (kind == 'n' && ((fd = close_on_exec(open("/dev/null", O_RDONLY))) < 0 || dup2(fd, 0) < 0)) goto out;
  failed[0] = STAGE_CHDIR;
  if (chdir(cwd) < 0) goto out;
  for (int i = 1; i < NSIG; i++) signal(i, SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  failed[0] = STAGE_EXEC;
  execvp(argv[0], argv);
out:
  failed[1] = errno;
  if (write(report, failed, sizeof failed) < 0) {}
  _exit(127);
}

/* The argument list is readable by everybody and matched by "pkill -f": the secrets must not be there
 * when the command runs, and its folder's name must not make us a victim of its own clean-up. */
static char *take(char *arg) {
  char *copy = strdup(arg);
  if (!copy) die("memory");
  memset(arg, '-', strlen(arg));
  return copy;
}

static void connect_host(const char *path, char *token) {
  struct sockaddr_un a = {.sun_family = AF_UNIX};
  errno = ENAMETOOLONG;
  if (strlen(path) >= sizeof a.sun_path) die("socket");
  strcpy(a.sun_path, path);
  if ((host = close_on_exec(socket(AF_UNIX, SOCK_STREAM, 0))) < 0) die("socket");
  if (connect(host, (struct sockaddr *)&a, sizeof a) < 0) die("connect");
  dprintf(host, "hello %s %ld\n", token, (long)getpid());
  memset(token, '-', strlen(token));
}

/* ---- the loop ------------------------------------------------------------------------------ */

/* What the terminal does for its interrupt character, which is stuck behind input that nobody reads. */
static void interrupt(void) {
  pid_t group = tcgetpgrp(tty);
  if (group > 1 && group != getpgrp()) kill(-group, SIGINT);
  tcflush(tty, TCIFLUSH);
}

static void tell_modes(void) {          /* 1: echo, 2: line mode; always one answer, for they are counted */
  struct termios t;
  int has = tcgetattr(tty, &t) == 0;
  say("modes", has ? (t.c_lflag & ECHO ? 1 : 0) | (t.c_lflag & ICANON ? 2 : 0) : 1, ALONE);
}

static void obey(const char *line) {
  int n;
  if (!strcmp(line, "release")) { tcsetpgrp(tty, getpgrp()); _exit(0); }       /* no SIGHUP to what is left */
  if (!strcmp(line, "kill")) { is_killing = 1; told_survivors = 0; }
  else if (!strcmp(line, "interrupt")) interrupt();
  else if (!strcmp(line, "modes")) tell_modes();
  else if (!strcmp(line, "tree")) { walk(0); say("tree", -1, WITH_TREE); }
  else if (sscanf(line, "sig %d", &n) == 1 && n > 0 && n < NSIG) signal_tree(n);
  else if (sscanf(line, "mark %d", &n) == 1) set_mark(n);
}

/* Reads and obeys what the host sent.  Returns 0 when the host is lost. */
static int listen_to_host(void) {
  static char in[256];
  static size_t used;
  ssize_t r = read(host, in + used, sizeof in - 1 - used);
  if (r < 0 && errno == EINTR) return 1;
  if (r <= 0) return 0;
  in[used += (size_t)r] = 0;
  for (char *e; (e = strchr(in, '\n')); memmove(in, e + 1, used + 1)) {
    *e = 0;
    used -= (size_t)(e + 1 - in);
    obey(in);
  }
  return used < sizeof in - 1;
}

int main(int argc, char **argv) {
  static const int ignored[] = {SIGHUP, SIGPIPE, SIGXFSZ, SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU};
  struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigset_t none;
  int exec_report[2];

  errno = EINVAL;
  if (argc < 7 || strlen(argv[3]) >= sizeof nonce) die("arguments");
  close_from(3);
#ifdef PR_SET_CHILD_SUBREAPER
  prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
  /* Our own opening, so that O_NONBLOCK is not shared with the command. */
  if ((tty = close_on_exec(open("/dev/tty", O_RDWR | O_NONBLOCK | O_NOCTTY))) < 0) die("no terminal");
  strcpy(nonce, argv[3]);
  memset(argv[3], '-', strlen(argv[3]));
  const char *socket_path = take(argv[1]), *cwd = take(argv[5]);
  const char kind = argv[4][0];
  connect_host(socket_path, argv[2]);
  if (pipe(wake) < 0 || pipe(exec_report) < 0) die("pipe");
  for (int i = 0; i < 2; i++) {
    fcntl(close_on_exec(wake[i]), F_SETFL, O_NONBLOCK);
    close_on_exec(exec_report[i]);
  }
  sigaction(SIGCHLD, &act, NULL);
  sigaction(SIGTERM, &act, NULL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if ((command = fork()) == 0) run_command(exec_report[1], kind, cwd, argv + 6);
  const pid_t pid = command;
  int has_failed = pid < 0;
  if (has_failed) say("error fork", errno, ALONE);
  close(exec_report[1]);

  int is_host_lost = 0, told_exit = 0, told_empty = 0;
  long long term_at = 0;                /* when the tree was told to end: host lost, or SIGTERM */
  for (;;) {
    struct pollfd f[3] = {
      {wake[0], POLLIN, 0}, {is_host_lost ? -1 : host, POLLIN, 0}, {exec_report[0], POLLIN, 0}
    };
    poll(f, 3, mark_len ? mark_nap : is_killing || term_at ? 50 : -1);
    int must_end = drain_wake();
    reap();
    if (exec_report[0] >= 0 && (f[2].revents || has_ended)) {   /* the exec happened, or says why not */
      static const char *const stage[] = {"error fork", "error setup", "error chdir", "error exec"};
      int e[2];
      has_failed |= read(exec_report[0], e, sizeof e) == (ssize_t)sizeof e;
      close(exec_report[0]);
      exec_report[0] = -1;
      if (!has_failed) say("started", pid, ALONE);
      else if (pid > 0) say(stage[e[0] & 3], e[1], ALONE);
    }
    if (f[1].revents && !listen_to_host()) is_host_lost = must_end = 1;

    if (must_end && !term_at) { term_at = now_ms(); signal_tree(SIGTERM); walk(SIGCONT); }
    int is_over = term_at && now_ms() >= term_at + GRACE_MS;
    if (is_host_lost && (!has_children || is_over)) { kill_tree(10 * KILL_MS); _exit(0); }
    if (is_over) { is_killing = 1; term_at = 0; }
    int is_gone = is_killing && kill_tree(told_survivors ? 1 : KILL_MS);

    if (has_ended && !told_exit && exec_report[0] < 0) {
      told_exit = 1;
      walk(0);
      if (!has_failed) { say("exit", raw_status, WITH_TREE); set_mark(0); }
    }
    if (told_exit && !has_children && !told_empty) { told_empty = 1; say("empty", -1, ALONE); }
    if (is_gone) { is_killing = 0; say("killed", -1, ALONE); }
    else if (is_killing && !told_survivors) { told_survivors = 1; walk(0); say("survivors", -1, WITH_TREE); }
    push_mark();
  }
}
