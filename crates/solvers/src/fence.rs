//! The fence (sandbox) around a solver process: it can write only in its scratch folder, read only its own files in
//! the user's home, and reach no network. The kernel enforces it (Landlock); `doctor` reports where it cannot. A
//! separate thread restricts itself, starts the solver and ends, so that no code runs between fork and exec, which
//! would make every start slower.

use crate::invocation::Invocation;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus,
    PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError,
    Scope,
};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The Landlock version that the fence uses, if the kernel has it.
const BUILT_FOR: ABI = ABI::V7;

/// Folders that contain users' homes.
const HOMES: [&str; 2] = ["/home", "/root"];

/// Devices that any process may write to.
const DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];

static DOWN: AtomicBool = AtomicBool::new(false);

/// How much of the fence is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fence {
    /// Turned off by the user.
    Down,
    /// Not supported by the kernel.
    Missing,
    /// Files only: the kernel is too old to keep processes off the network.
    Files,
    /// Files, network, signals to processes outside.
    Whole,
}

impl Fence {
    /// What it prevents, in a sentence.
    pub fn text(self) -> &'static str {
        match self {
            Fence::Down => "no fence around solvers (--no-fence)",
            Fence::Missing => {
                "no fence around solvers: this kernel has no Landlock, so only the lists of allowed commands and options protect files"
            }
            Fence::Files => {
                "solvers can write only in their scratch folders and cannot read the home folder (Landlock); the network stays open because the kernel is too old"
            }
            Fence::Whole => {
                "solvers can write only in their scratch folders, cannot read the home folder and have no TCP (Landlock)"
            }
        }
    }

    pub fn is_up(self) -> bool {
        matches!(self, Fence::Files | Fence::Whole)
    }
}

/// Starts all further solvers without a fence.
pub fn take_down() {
    DOWN.store(true, Ordering::Relaxed);
}

/// The fence around solvers that are started from now on.
pub fn state() -> Fence {
    static KERNEL: OnceLock<Fence> = OnceLock::new();
    if DOWN.load(Ordering::Relaxed) {
        return Fence::Down;
    }
    *KERNEL.get_or_init(|| {
        // Only trying it on a thread shows what the kernel supports.
        let trial = std::thread::spawn(|| {
            let fence = fence(&Invocation::default(), Path::new("/dev/null"));
            fence.and_then(RulesetCreated::restrict_self)
        });
        match trial
            .join()
            .map(|tried| tried.map(|status| status.landlock))
        {
            Ok(Ok(LandlockStatus::Available { effective_abi, .. })) => match effective_abi {
                abi if abi >= ABI::V6 => Fence::Whole,
                _ => Fence::Files,
            },
            _ => Fence::Missing,
        }
    })
}

/// Starts a solver inside the fence; it can write in `scratch` only.
pub(crate) fn spawn(command: &mut Command, what: &Invocation, scratch: &Path) -> io::Result<Child> {
    if !state().is_up() {
        return command.spawn();
    }
    std::thread::scope(|scope| {
        let starter = std::thread::Builder::new().spawn_scoped(scope, || {
            let fence = fence(what, scratch).and_then(RulesetCreated::restrict_self);
            fence.map_err(io::Error::other)?;
            command.spawn()
        })?;
        let broken = || io::Error::other("the thread that starts a solver panicked");
        starter.join().unwrap_or_else(|_| Err(broken()))
    })
}

fn fence(what: &Invocation, scratch: &Path) -> Result<RulesetCreated, RulesetError> {
    let read = AccessFs::from_read(BUILT_FOR);
    let mut fence = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(BUILT_FOR))?
        .handle_access(AccessNet::from_all(BUILT_FOR))?
        .scope(Scope::from_all(BUILT_FOR))?
        .create()?;
    for place in outside_of_homes() {
        fence = fence.add_rule(PathBeneath::new(place, read))?;
    }
    for place in own_places(what) {
        fence = open(fence, &place, read)?;
    }
    for device in DEVICES {
        fence = open(fence, Path::new(device), read | AccessFs::WriteFile)?;
    }
    open(fence, scratch, AccessFs::from_all(BUILT_FOR))
}

/// Allows access to a path; a missing one needs no rule.
fn open(
    fence: RulesetCreated,
    place: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    match PathFd::new(place) {
        Ok(place) => fence.add_rule(PathBeneath::new(place, access)),
        Err(_) => Ok(fence),
    }
}

/// The top-level folders except users' homes, opened once.
fn outside_of_homes() -> &'static [PathFd] {
    static OPEN: OnceLock<Vec<PathFd>> = OnceLock::new();
    OPEN.get_or_init(|| {
        let top = std::fs::read_dir("/").into_iter().flatten().flatten();
        let places = top
            .map(|entry| entry.path())
            .filter(|path| !holds_home(path));
        places.filter_map(|path| PathFd::new(path).ok()).collect()
    })
}

/// Whether a home is below this path, or the path is in one.
fn holds_home(place: &Path) -> bool {
    let place = place.canonicalize().unwrap_or_else(|_| place.to_path_buf());
    let homes = HOMES.iter().map(PathBuf::from).chain(home());
    homes
        .into_iter()
        .any(|home| home.starts_with(&place) || place.starts_with(&home))
}

/// The user's home; none if it is the root folder, as for some services.
fn home() -> Option<PathBuf> {
    let home = PathBuf::from(std::env::var_os("HOME")?)
        .canonicalize()
        .ok()?;
    (home != Path::new("/")).then_some(home)
}

/// The paths of a solver's own files: its program, drivers, interpreter and libraries.
fn own_places(what: &Invocation) -> Vec<PathBuf> {
    let words = what.arguments.iter().map(PathBuf::from);
    let named = std::iter::once(what.program.clone()).chain(words);
    let named = named.filter(|path| path.as_os_str().as_encoded_bytes().contains(&b'/'));
    let named = named.filter_map(|path| std::path::absolute(path).ok());
    let mut places: Vec<PathBuf> = Vec::new();
    for path in named.filter(|path| path.is_file()) {
        // A linked program needs the files beside the link and beside its target.
        places.extend(path.canonicalize().ok().and_then(|path| around(&path)));
        places.extend(around(&path));
    }
    let libraries = what
        .environment
        .iter()
        .filter(|(name, _)| name == "LD_LIBRARY_PATH");
    places.extend(libraries.flat_map(|(_, paths)| std::env::split_paths(paths)));
    places.retain(|place| holds_home(place));
    places.dedup();
    places
}

/// The folder of a file, or of its installation, but never a whole home.
fn around(file: &Path) -> Option<PathBuf> {
    let folder = file.parent()?;
    let installation = match folder.file_name() {
        Some(name) if name == "bin" => folder.parent()?,
        _ => folder,
    };
    let whole = |place: &Path| home().is_some_and(|home| home.starts_with(place));
    let fits = [installation, folder]
        .into_iter()
        .find(|place| !whole(place));
    Some(fits.unwrap_or(file).to_path_buf())
}
