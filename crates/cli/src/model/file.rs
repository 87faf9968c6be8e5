//! Reading model files: without large weights, and small constants that are in other files of the
//! same directory.

use std::{
    fs::{self, File},
    io::{self, BufReader, IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Arc, mpsc},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use lozenge::diagnostic::{Code, Diagnostic, Help, Report, Sources};
use lozenge_onnx::{
    Data, Dim, Directory, Model, Skimmed, Tensor, Type,
    infer::{self, CustomRules, Inferred, MOST_ELEMENTS, ReadElements, answer::ModelReport},
    skim,
};

use super::{args::Look, near::did_you_mean, show};
use crate::{args::Format, output};

/// A model's file.
pub(crate) struct Loaded {
    skimmed: Skimmed,
    path: PathBuf,
}

/// Whether the first argument of a command that takes a specification too is a file.
pub(crate) fn is_file(text: &str) -> bool {
    let path = Path::new(text);
    path.extension().is_some_and(|extension| extension == "onnx") || path.is_file()
}

/// The directory of a model.
struct Folder(PathBuf);

impl Directory for Folder {
    type File = File;
    fn real_path(&self, inside: &Path) -> io::Result<PathBuf> {
        self.0.join(inside).canonicalize()
    }
    fn open(&self, inside: &Path) -> io::Result<File> {
        File::open(self.0.join(inside))
    }
}

impl Loaded {
    /// Reads a file, without its large weights.
    pub(crate) fn read(path: &Path) -> Result<Loaded, Diagnostic> {
        let failed = |text: String| {
            Diagnostic::new(Code::UnreadableModel, format!("{}: {text}", path.display()))
        };
        let file = File::open(path).map_err(|error| failed(io_text(&error)))?;
        let skimmed =
            skim(BufReader::new(file)).map_err(|error| with_help(failed(unreadable(&error))))?;
        Ok(Loaded { skimmed, path: path.to_owned() })
    }

    /// The file's name.
    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The model.
    pub(crate) fn model(&self) -> Result<Model<'_>, Diagnostic> {
        self.skimmed.model().map_err(|error| {
            let text = format!("{}: {error}", self.path.display());
            with_help(Diagnostic::new(Code::UnreadableModel, text))
        })
    }

    /// Reads small constants from other files of the model's directory.
    pub(crate) fn external(&self) -> impl Fn(&Tensor<'_>) -> Option<Vec<i64>> + use<> {
        let parent = self.path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = Folder(parent.unwrap_or(Path::new(".")).to_owned());
        move |tensor| {
            let Data::External(external) = &tensor.data else { return None };
            let raw = external.read(&folder, 8 * MOST_ELEMENTS as u64).ok()?;
            tensor.ints_of_raw(&raw, MOST_ELEMENTS).ok()
        }
    }
}

/// What to do about a file that ends too early.
fn with_help(said: Diagnostic) -> Diagnostic {
    if said.headline.contains("cut short") {
        said.help(Help::advice("fetch or export the file again, and compare its size"))
    } else {
        said
    }
}

fn io_text(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "it may not be read".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory, not a file".to_owned(),
        _ => error.to_string(),
    }
}

fn unreadable(error: &lozenge_onnx::SourceError) -> String {
    match error {
        lozenge_onnx::SourceError::Io(error) => io_text(error),
        error => error.to_string(),
    }
}

/// What a command does with an inferred model.
pub(crate) fn with_model(
    path: &Path,
    look: &Look,
    answer: impl FnOnce(&Loaded, &Model<'_>, &mut Inferred<'_, '_>) -> ExitCode,
) -> ExitCode {
    let progress = Progress::start(format!("inferring {}", path.display()));
    let loaded = match Loaded::read(path) {
        Ok(loaded) => loaded,
        Err(said) => return refuse(path, look, said, progress),
    };
    let model = match loaded.model() {
        Ok(model) => model,
        Err(said) => return refuse(path, look, said, progress),
    };
    if let Some(said) = unknown_name(&model, look) {
        drop(progress);
        output::message(&said);
        return ExitCode::from(2);
    }
    let external = loaded.external();
    let options = match options(look, &external) {
        Ok(options) => options,
        Err(code) => return code,
    };
    let mut inferred = infer::infer(&model, &options);
    drop(progress);
    for said in unused_rules(&options.rules, &inferred) {
        output::message(&said);
    }
    answer(&loaded, &model, &mut inferred)
}

/// The options of inference; says what is wrong with sizes that are set and with rules of the user.
pub(crate) fn options<'o>(
    look: &Look,
    external: &'o ReadElements<'o>,
) -> Result<infer::Options<'o>, ExitCode> {
    let mut set = vec![];
    for (name, number) in &look.sets {
        let Ok(size) = i64::try_from(*number) else {
            output::message(&format!(
                "`{name}` is set to {number}; a size is at most {}",
                i64::MAX
            ));
            return Err(ExitCode::from(2));
        };
        set.push((name.clone(), size));
    }
    Ok(infer::Options {
        set,
        free: look.given.free.clone(),
        external: Some(external),
        rules: Arc::new(
            look.given.rules.as_deref().map_or_else(|| Ok(CustomRules::default()), rules)?,
        ),
        ..infer::Options::default()
    })
}

/// Reads a file of rules. What is wrong with it is said.
fn rules(path: &Path) -> Result<CustomRules, ExitCode> {
    let said = match fs::read_to_string(path) {
        Ok(text) => match CustomRules::parse(&path.display().to_string(), &text) {
            Ok(rules) => return Ok(rules),
            Err(rejection) => rejection,
        },
        Err(error) => Report {
            sources: Sources::new(),
            diagnostics: vec![Diagnostic::new(
                Code::BadRule,
                format!("{}: {}", path.display(), io_text(&error)),
            )],
        },
    };
    output::refuse(&said, Format::Full);
    Err(ExitCode::FAILURE)
}

/// That a name is set, or an axis freed, which no input has.
fn unknown_name(model: &Model<'_>, look: &Look) -> Option<String> {
    let mut names: Vec<&str> = look.sets.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    let twice = names.windows(2).find(|pair| pair.first() == pair.last());
    if let Some(name) = twice.and_then(|pair| pair.first()) {
        return Some(format!("`{name}` is set twice"));
    }
    let inferred = open_sizes(model, &look.given.free);
    for (name, _) in &look.sets {
        if !inferred.contains(name) {
            if let Some(said) = declared_number(model, name) {
                return Some(said);
            }
            let names = if inferred.is_empty() { "none".to_owned() } else { inferred.join(", ") };
            return Some(format!("no input has a size called `{name}`; open sizes are: {names}"));
        }
    }
    for (input, axis) in &look.given.free {
        let Some(info) = model.graph.inputs.iter().find(|info| info.name == input.as_str()) else {
            let inputs: Vec<String> =
                model.graph.inputs.iter().map(|info| info.name.to_string()).collect();
            return Some(format!("there is no input `{input}`; inputs are: {}", inputs.join(", ")));
        };
        let rank = match &info.ty {
            Type::Tensor(tensor) => tensor.shape.as_ref().map(Vec::len),
            _ => None,
        };
        if rank.is_some_and(|rank| *axis >= rank) {
            return Some(format!("the input `{input}` has no axis {axis}"));
        }
    }
    None
}

/// That what was taken for a name is an axis whose size the file says: `image_0`, or `image.0`.
fn declared_number(model: &Model<'_>, name: &str) -> Option<String> {
    let (input, axis) = name.rsplit_once(['.', '_'])?;
    let info = model.graph.inputs.iter().find(|info| info.name == *input)?;
    match info.ty.as_tensor()?.shape.as_ref()?.get(axis.parse::<usize>().ok()?)? {
        Dim::Value(size @ 1..) => Some(format!(
            "axis {axis} of `{input}` is {size} in the file: `--free {input}.{axis}` forgets that, and `{input}_{axis}` is its name then"
        )),
        Dim::Param(name) => Some(format!("axis {axis} of `{input}` is called `{name}`")),
        _ => None,
    }
}

/// That no node of the model has an operator that rules are for.
fn unused_rules(rules: &CustomRules, inferred: &Inferred<'_, '_>) -> Vec<String> {
    let mut known: Vec<String> =
        inferred.nodes().map(|(_, record)| CustomRules::operator(record.node)).collect();
    known.sort_unstable();
    known.dedup();
    let unused = rules.operators().filter(|operator| known.iter().all(|own| own != operator));
    let said = |operator: &str| {
        let near = did_you_mean(operator, known.iter().map(String::as_str));
        format!("the model has no node with the operator `{operator}`, which a rule is for{near}")
    };
    unused.map(said).collect()
}

/// The names of the open sizes of the inputs.
fn open_sizes(model: &Model<'_>, free: &[(String, usize)]) -> Vec<String> {
    let bare = Model {
        graph: lozenge_onnx::Graph {
            inputs: model.graph.inputs.clone(),
            ..lozenge_onnx::Graph::default()
        },
        ..Model::default()
    };
    let options = infer::Options { free: free.to_vec(), ..infer::Options::default() };
    let inferred = infer::infer(&bare, &options);
    inferred.nums().names().map(|(_, name)| name.text.clone()).collect()
}

fn refuse(path: &Path, look: &Look, said: Diagnostic, progress: Progress) -> ExitCode {
    drop(progress);
    let mut report = ModelReport::default();
    report.say_of_all(said);
    show::report(&report, path, look.format, report.findings.len());
    ExitCode::FAILURE
}

/// A line on the terminal while work takes longer than a moment.
pub(crate) struct Progress {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    pub(crate) fn start(text: String) -> Progress {
        if !io::stderr().is_terminal() {
            return Progress { stop: None, thread: None };
        }
        let (stop, stopped) = mpsc::channel();
        let begin = Instant::now();
        let thread = std::thread::spawn(move || {
            let mut is_shown = false;
            let mut wait = Duration::from_millis(700);
            while stopped.recv_timeout(wait) == Err(mpsc::RecvTimeoutError::Timeout) {
                let mut stderr = io::stderr();
                let _ = write!(stderr, "\r{text}: {} s", begin.elapsed().as_secs());
                let _ = stderr.flush();
                is_shown = true;
                wait = Duration::from_secs(1);
            }
            if is_shown {
                let _ = write!(io::stderr(), "\r\x1b[K");
            }
        });
        Progress { stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
