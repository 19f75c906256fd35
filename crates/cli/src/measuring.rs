//! What `run`, `baseline`, `compare` and `duel` have in common: the options that say what is measured and how, and
//! the programs and contests that these mean. How a run goes is in `session`.

use crate::{
    End,
    output::visible,
    workspace::{self, Workspace, copy_file, link_file},
};
use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use cryptobench_catalogue::examine;
use cryptobench_environment::{capture, unoptimised, warnings};
use cryptobench_report::{facts::usual_rounds, units::count};
use cryptobench_results::record::{Document, Record, Settings};
use cryptobench_runner::{
    Extent, PlannedContest, Program, Selection, Survey, Unknown, plan, sha256, suggested_processor,
    survey,
};
use cryptobench_schema::{
    BackendId, CaseId, Host, Scenario, SizeChoice, Unit,
    protocol::{DOCUMENT, ELEMENT, backends_of},
};
use regex::Regex;
use std::{
    collections::BTreeSet,
    fs::File,
    io::{BufReader, Read as _},
    path::{Path, PathBuf, absolute},
    sync::atomic::AtomicBool,
    time::Duration,
};

/// What is measured. What goes on is measured as it was begun, so most of these options, and of [`How`], do not
/// go with `--resume`.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "What is measured")]
pub(crate) struct What {
    #[command(flatten)]
    pub(crate) contests: Contests,
    /// Only this backend; may be repeated
    #[arg(long = "backend", value_name = "NAME", conflicts_with = "resume")]
    pub(crate) backends: Vec<BackendId>,
}

/// What is measured, whichever the backends.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "What is measured")]
pub(crate) struct Contests {
    /// The scenarios whose contests these are; set by the commands that have them.
    #[arg(skip)]
    pub(crate) scenarios: Vec<Scenario>,
    /// For the scenario `document`: your own XML document instead of generated ones
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub(crate) document: Option<PathBuf>,
    /// Its element whose content is a field, instead of `author`
    #[arg(long, value_name = "NAME", requires = "document", conflicts_with = "resume")]
    pub(crate) element: Option<String>,
    /// Only cases whose id matches this regular expression, `algorithm/operation/backend[/size]`. Without
    /// it, everything, but in runs of no scenario not RSA key generation, whose times are spread by chance
    #[arg(long, value_name = "REGEX", conflicts_with = "resume")]
    filter: Option<Regex>,
    /// Message sizes in bytes, comma-separated, or `all`; of scenarios those of pieces or documents
    #[arg(long, value_name = "SIZES", value_parser = bytes, conflicts_with = "resume")]
    sizes: Option<Sizes>,
    /// RSA moduli in bits, comma-separated, or `all`
    #[arg(long, value_name = "BITS", value_parser = bits, conflicts_with = "resume")]
    rsa_bits: Option<Sizes>,
}

/// From where to where a run goes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Course {
    /// Go on with the one of that name, or with the last one without, where it was stopped
    #[arg(long, conflicts_with = "rounds")]
    pub(crate) resume: bool,
    /// Rounds of fresh processes; 7, of a scenario 5, or 3 with --quick
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: Option<u32>,
}

/// How it is measured.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "How it is measured")]
pub(crate) struct How {
    /// Fewer rounds of fewer and shorter slices: for a look, not for citing
    #[arg(long, conflicts_with = "resume")]
    pub(crate) quick: bool,
    /// Refuse to measure where there is a warning about the machine or the build
    #[arg(long)]
    pub(crate) strict: bool,
    /// Seed of all draws, to repeat a run's order and placements
    #[arg(long, value_name = "NUMBER", conflicts_with = "resume")]
    pub(crate) seed: Option<u64>,
    /// The logical processor that everything runs on, or `none`; by default the fastest, the last of equals
    #[arg(long, value_name = "NUMBER", conflicts_with = "resume")]
    pub(crate) cpu: Option<Processor>,
    /// Seconds that a worker may take for one answer; 60, and of a scenario 1800, since to prove 1 GiB takes minutes
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    deadline: Option<u64>,
    /// Build the worker with these backends alone, comma-separated (features of `cryptobench-worker`)
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with_all = ["worker", "resume"])]
    pub(crate) features: Vec<String>,
    /// This worker program instead of the one that Cargo builds
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub(crate) worker: Option<PathBuf>,
    /// Another worker program whose backends take part; may be repeated
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub(crate) also: Vec<PathBuf>,
}

impl How {
    /// How long a worker may take for one answer.
    fn deadline(&self) -> Duration {
        Duration::from_secs(self.deadline.unwrap_or(60))
    }

    /// With more time for a worker's answers where `contests` are of scenarios, unless the user said how much.
    pub(crate) fn patient_with(mut self, contests: &Contests) -> Self {
        if !contests.scenarios.is_empty() {
            self.deadline.get_or_insert(1800);
        }
        self
    }
}

/// Sizes as given: what they mean, and their text for the record.
#[derive(Debug, Clone)]
struct Sizes {
    choice: SizeChoice,
    text: String,
}

fn bytes(text: &str) -> Result<Sizes, String> {
    sizes(text, Unit::Bytes)
}

fn bits(text: &str) -> Result<Sizes, String> {
    sizes(text, Unit::ModulusBits)
}

fn sizes(text: &str, unit: Unit) -> Result<Sizes, String> {
    let choice = if text == "all" {
        SizeChoice::All
    } else {
        let known = unit.all_sizes();
        let one = |word: &str| {
            word.trim().parse().ok().filter(|size| known.contains(size)).ok_or_else(|| {
                let known: Vec<String> = known.iter().map(u64::to_string).collect();
                format!("`{word}` is none of {}, and not `all`", known.join(", "))
            })
        };
        SizeChoice::Only(text.split(',').map(one).collect::<Result<_, _>>()?)
    };
    Ok(Sizes { choice, text: text.to_owned() })
}

/// A choice of processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Processor {
    Number(u32),
    None,
}

impl std::str::FromStr for Processor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(Self::None),
            number => number
                .parse()
                .map(Self::Number)
                .map_err(|_| "a processor is a number, or `none`".to_owned()),
        }
    }
}

impl What {
    /// The selection that these options make.
    pub(crate) fn selection(&self) -> Selection {
        let Contests { scenarios, filter, sizes, rsa_bits, .. } = &self.contests;
        let choice = |sizes: &Option<Sizes>| {
            sizes.as_ref().map_or(SizeChoice::Default, |sizes| sizes.choice.clone())
        };
        Selection {
            extent: if scenarios.is_empty() {
                Extent::Usual
            } else {
                Extent::Scenarios(scenarios.clone())
            },
            filter: filter.clone(),
            backends: self.backends.clone(),
            bytes: choice(sizes),
            bits: choice(rsa_bits),
        }
    }

    /// Whether a case of a record is selected: sizes only where they are given, since a record has what it has.
    pub(crate) fn selects(&self) -> impl Fn(&CaseId) -> bool {
        let Contests { filter, sizes, rsa_bits, .. } = &self.contests;
        let all = |sizes: &Option<Sizes>| {
            sizes.as_ref().map_or(SizeChoice::All, |sizes| sizes.choice.clone())
        };
        let selection = Selection {
            extent: Extent::Everything,
            filter: filter.clone(),
            backends: self.backends.clone(),
            bytes: all(sizes),
            bits: all(rsa_bits),
        };
        move |case| selection.selects(case)
    }

    /// As `settings` have it, for what is not given here.
    pub(crate) fn or(mut self, settings: &Settings) -> Result<Self> {
        let Contests { scenarios, document, element, filter, sizes, rsa_bits } = &mut self.contests;
        if let (None, Some(own)) = (&document, &settings.document) {
            *document = Some(own.path.clone().into());
            *element = Some(own.element.clone());
        }
        if scenarios.is_empty() {
            scenarios.clone_from(&settings.scenarios);
        }
        if filter.is_none() {
            *filter = settings.filter.as_deref().map(Regex::new).transpose()?;
        }
        let read = |text: &Option<String>, unit| {
            text.as_deref()
                .map(|text| self::sizes(text, unit))
                .transpose()
                .map_err(|it| anyhow!(it))
        };
        if sizes.is_none() {
            *sizes = read(&settings.sizes, Unit::Bytes)?;
        }
        if rsa_bits.is_none() {
            *rsa_bits = read(&settings.rsa_bits, Unit::ModulusBits)?;
        }
        if self.backends.is_empty() {
            self.backends.clone_from(&settings.backends);
        }
        Ok(self)
    }
}

impl Contests {
    /// The user's own document, examined; nothing where none is named.
    pub(crate) fn own_document(&self) -> Result<Option<Document>> {
        let Some(path) = &self.document else { return Ok(None) };
        if !self.scenarios.contains(&Scenario::Document) {
            bail!("--document is for the scenario `document`, which is not measured here");
        }
        let element = self.element.clone().unwrap_or_else(|| AUTHOR.to_owned());
        // A record could not name it, and another one might be taken for it.
        let Some(name) = path.to_str() else {
            bail!("the document's path {} is not UTF-8; give it another", path.display());
        };
        let kind = path
            .metadata()
            .with_context(|| format!("the document {} cannot be read", path.display()))?
            .file_type();
        // Anything else may be read for ever.
        if !kind.is_file() {
            bail!("the document {} is {}, not a file", path.display(), workspace::kind(kind));
        }
        let file = File::open(path)
            .with_context(|| format!("the document {} cannot be read", path.display()))?;
        let survey = examine(BufReader::new(file), &element)
            .map_err(|error| anyhow!("the document {} {error}", path.display()))?;
        Ok(Some(Document {
            path: name.to_owned(),
            element,
            bytes: survey.bytes,
            sha256: sha256(path)
                .with_context(|| format!("the document {} cannot be read", path.display()))?,
            fields: survey.fields,
        }))
    }
}

/// Variables of a worker's environment.
pub(crate) type Variables = Vec<(String, String)>;

/// The element of generated documents whose content is a field.
const AUTHOR: &str = "author";

/// What a worker is told of `document` by its environment; docs/worker-protocol.md has the names.
pub(crate) fn variables(document: Option<&Document>) -> Result<Variables> {
    let Some(document) = document else { return Ok(Vec::new()) };
    let path = absolute(&document.path)
        .with_context(|| format!("the document {} has no path", document.path))?;
    let path = path
        .into_os_string()
        .into_string()
        .map_err(|path| anyhow!("the document's path {path:?} is not UTF-8; give it another"))?;
    Ok(vec![(DOCUMENT.to_owned(), path), (ELEMENT.to_owned(), document.element.clone())])
}

/// The settings of a run of `rounds`.
pub(crate) fn settings(
    what: &What,
    how: &How,
    document: Option<Document>,
    rounds: u32,
    screening: u32,
) -> Settings {
    let Contests { scenarios, filter, sizes, rsa_bits, .. } = &what.contests;
    let text = |sizes: &Option<Sizes>| sizes.as_ref().map(|sizes| sizes.text.clone());
    let thorough = Settings {
        rounds,
        screening,
        cpu: match how.cpu {
            Some(Processor::Number(number)) => Some(number),
            Some(Processor::None) => None,
            None => suggested_processor(),
        },
        scenarios: scenarios.clone(),
        document,
        filter: filter.as_ref().map(ToString::to_string),
        backends: what.backends.clone(),
        sizes: text(sizes),
        rsa_bits: text(rsa_bits),
        quick: how.quick,
        ..Settings::default()
    };
    match (how.quick, scenarios.is_empty()) {
        (false, true) => thorough,
        // Most operations of scenarios are long, and no warmer after the first.
        (false, false) => Settings {
            fewest_slices: 1,
            budget_ns: 100_000_000,
            fewest_keys: 3,
            key_budget_ns: 1_500_000_000,
            ..thorough
        },
        (true, _) => Settings {
            slices: 15,
            fewest_slices: if scenarios.is_empty() { 5 } else { 1 },
            slice_ns: 100_000,
            budget_ns: 5_000_000,
            fewest_keys: 5,
            ..thorough
        },
    }
}

/// The rounds of a run: as asked, or what is usual.
pub(crate) fn rounds(asked: Option<u32>, what: &What, how: &How) -> u32 {
    asked.unwrap_or_else(|| usual_rounds(how.quick, !what.contests.scenarios.is_empty()))
}

/// A program that takes part, and what it is.
#[derive(Debug)]
pub(crate) struct Participant {
    pub(crate) program: Program,
    pub(crate) sha256: String,
    pub(crate) survey: Survey,
}

/// The worker that the options mean, built where that is to be done, and the others that take part; and what is
/// to be said of those that cannot.
pub(crate) fn participants(
    workspace: &Workspace,
    how: &How,
    variables: &Variables,
    stop: &AtomicBool,
) -> Result<(Vec<Participant>, Vec<String>)> {
    let mut names = vec![CURRENT.to_owned()];
    for path in &how.also {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        // A record knows programs by their names, not by their paths.
        if names.contains(&name) {
            bail!(
                "{} would be called `{name}`, as another program of this run is, and nobody could tell their \
                 backends apart; rename it, or name a link to it",
                path.display()
            );
        }
        names.push(name);
    }
    let mut all = vec![current(workspace, how, variables, stop)?];
    let mut lost = Vec::new();
    for (name, path) in names.iter().skip(1).zip(&how.also) {
        match participant(workspace, name, path, how, variables, stop) {
            Ok(participant) => all.push(participant),
            // The others go on.
            Err(error) => lost.push(format!("{error:#}")),
        }
    }
    Ok((all, lost))
}

/// Says which pairs of programs are one program.
pub(crate) fn twins(participants: &[Participant]) -> Vec<String> {
    let mut all = Vec::new();
    for (index, it) in participants.iter().enumerate() {
        for twin in participants[..index].iter().filter(|twin| twin.sha256 == it.sha256) {
            let (one, other) = (&twin.program.name, &it.program.name);
            let warning = format!(
                "`{one}` and `{other}` are the same program, to the last byte: what differs between them is chance"
            );
            say!("warning: {}", visible(&warning));
            all.push(warning);
        }
    }
    all
}

/// The names of `participants` that have `backend`.
fn having<'a>(participants: &'a [Participant], backend: &BackendId) -> Vec<&'a str> {
    let has = |it: &&Participant| it.survey.cases.iter().any(|case| case.backend == *backend);
    participants.iter().filter(has).map(|it| it.program.name.as_str()).collect()
}

/// Says how the backends that several of `participants` have are told apart.
pub(crate) fn told_apart(participants: &[Participant]) {
    let all: Vec<CaseId> = participants.iter().flat_map(|it| it.survey.cases.clone()).collect();
    for backend in backends_of(&all) {
        let programs = having(participants, &backend);
        if programs.len() > 1 {
            let sides: Vec<String> =
                programs.iter().map(|it| format!("`{}:{backend}`", visible(it))).collect();
            say!("note: several programs have `{backend}`: {}", sides.join(", "));
        }
    }
}

/// What the worker that the options mean is called.
const CURRENT: &str = "current";

/// The worker that the options mean, built where that is to be done.
pub(crate) fn current(
    workspace: &Workspace,
    how: &How,
    variables: &Variables,
    stop: &AtomicBool,
) -> Result<Participant> {
    match &how.worker {
        Some(given) => participant(workspace, CURRENT, given, how, variables, stop),
        None => {
            let built = workspace.build_worker(&how.features)?;
            participant(workspace, CURRENT, &built, how, variables, stop)
        }
    }
}

/// The program at `path`, found from now on by its digest, and asked what it is.
pub(crate) fn participant(
    workspace: &Workspace,
    name: &str,
    path: &Path,
    how: &How,
    variables: &Variables,
    stop: &AtomicBool,
) -> Result<Participant> {
    let at = |path: PathBuf| Program {
        name: name.to_owned(),
        path,
        variables: variables.clone(),
        deadline: how.deadline(),
    };
    let kind = path
        .metadata()
        .with_context(|| format!("the worker {} cannot be read", path.display()))?
        .file_type();
    // Anything else may be read for ever.
    if !kind.is_file() {
        bail!("the worker {} is {}, not a program", path.display(), workspace::kind(kind));
    }
    let sha256 = at(path.to_owned()).sha256()?;
    let running = workspace.running_worker(&sha256);
    // What is there may be a link to what has changed since.
    if at(running.clone()).sha256().ok().as_ref() != Some(&sha256) {
        // A program may be built anew meanwhile; a script may need what lies beside it.
        if is_script(path)? { link_file(path, &running)? } else { copy_file(path, &running)? }
    }
    let program = at(running);
    let mut survey = survey(&program, stop)
        .with_context(|| format!("the worker `{name}` ({}) cannot be used", path.display()))?;
    if survey.cases.is_empty() {
        let lists = match &survey.unknown {
            Some(Unknown { number, first }) => format!(
                "lists {}, none of which this build of cryptobench knows: `{}`{}; docs/worker-protocol.md says what an \
                 id is, and a worker of another version needs a cryptobench of its own",
                count(*number, "id"),
                visible(first),
                if *number > 1 { " is the first" } else { "" },
            ),
            None => "lists no case".to_owned(),
        };
        bail!("the worker `{name}` ({}) {lists}", path.display());
    }
    // A worker in another language need not know the machine.
    if survey.environment.host == Host::default() {
        survey.environment.host = capture(&[]).host;
    }
    if let Some(why) = unoptimised(&survey.environment.build)
        // A worker in another language has no such level.
        && !survey.environment.build.rustc.is_empty()
    {
        bail!("{}: {why}, and times of such a build mislead", path.display());
    }
    Ok(Participant { program, sha256, survey })
}

/// Whether the file at `path` is for an interpreter.
fn is_script(path: &Path) -> Result<bool> {
    let mut start = [0; 2];
    let read = File::open(path).and_then(|mut file| file.read(&mut start));
    Ok(read.with_context(|| format!("cannot read {}", path.display()))? == 2 && start == *b"#!")
}

/// Says what is the matter with the machine and the builds. With `strict` that is an error.
pub(crate) fn announce(participants: &[Participant], strict: bool) -> Result<Vec<String>> {
    let mut told = BTreeSet::new();
    let mut all = Vec::new();
    for participant in participants {
        for warning in warnings(&participant.survey.environment) {
            let warning = warning.to_string();
            if told.insert(warning.clone()) {
                say!("warning: {}", visible(&warning));
                all.push(warning);
            }
        }
    }
    if let Some(environment) = participants.first().map(|it| &it.survey.environment) {
        let host = &environment.host;
        let unknown = || "unknown".to_owned();
        say!(
            "on {} ({}), {}, {}",
            visible(&host.cpu.model.clone().unwrap_or_else(unknown)),
            visible(&host.cpu.signature.clone().unwrap_or_else(unknown)),
            visible(&host.system.clone().unwrap_or_else(unknown)),
            visible(&environment.build.rustc),
        );
    }
    if strict && !all.is_empty() {
        bail!("there are warnings, and --strict refuses to measure with them");
    }
    Ok(all)
}

/// The contests that `what` selects of what the programs have.
pub(crate) fn contests(participants: &[Participant], what: &What) -> Result<Vec<PlannedContest>> {
    let cases: Vec<_> = participants.iter().map(|it| it.survey.cases.clone()).collect();
    for backend in &what.backends {
        if !cases.iter().flatten().any(|case| case.backend == *backend) {
            // Programs may have the same ones.
            let all: Vec<CaseId> = cases.iter().flatten().cloned().collect();
            let known: Vec<String> = backends_of(&all).iter().map(ToString::to_string).collect();
            bail!("there is no backend `{backend}`; there are {}", known.join(", "));
        }
    }
    let contests = plan(&cases, &what.selection());
    if contests.is_empty() {
        if let [first, ..] = &what.contests.scenarios[..] {
            let mut sizes: Vec<u64> = first.contests().iter().filter_map(|it| it.size).collect();
            sizes.sort_unstable();
            sizes.dedup();
            let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
            bail!(
                "no case is selected: the scenario `{first}` has the sizes {}, a document of your own has its own, and \
                 --backend and --filter leave what all options select",
                sizes.join(", ")
            );
        }
        bail!("no case is selected; `cargo bench -- --list` shows the ids that --filter matches");
    }
    Ok(contests)
}

/// Those of `contests` that all `backends` have, each of them once: from the last of `participants` that has it.
pub(crate) fn shared(
    contests: Vec<PlannedContest>,
    participants: &[Participant],
    backends: &[BackendId],
) -> Result<Vec<PlannedContest>> {
    for backend in backends {
        if let [others @ .., last] = &having(participants, backend)[..]
            && !others.is_empty()
        {
            say!(
                "note: `{}` and `{}` have `{backend}`; of each contest the last one's takes part",
                visible(&others.join("`, `")),
                visible(last)
            );
        }
    }
    let all = contests.len();
    let shared: Vec<PlannedContest> = contests
        .into_iter()
        .filter_map(|it| {
            let side = |backend: &BackendId| {
                it.sides.iter().rfind(|side| side.backend == *backend).cloned()
            };
            let sides = backends.iter().map(side).collect::<Option<_>>()?;
            Some(PlannedContest { contest: it.contest, sides, heat: None })
        })
        .collect();
    let names: Vec<&str> = backends.iter().map(BackendId::as_str).collect();
    let names = names.join(" and ");
    if shared.is_empty() {
        bail!("{names} have none of the selected contests in common; select others by --filter");
    }
    if shared.len() < all {
        say!(
            "{} of {} left out, which {names} do not both have",
            all - shared.len(),
            count(all, "contest")
        );
    }
    Ok(shared)
}

/// Says what failed, cases and programs, and how the program ends.
pub(crate) fn conclude(record: &Record, lost: &[String]) -> End {
    if record.failed.is_empty() && lost.is_empty() {
        return End::Well;
    }
    if !record.failed.is_empty() {
        say!("{} FAILED and left out:", count(record.failed.len(), "case"));
    }
    for failed in &record.failed {
        say!("  {}: {}", failed.id, visible(&failed.reason));
    }
    for program in lost {
        say!("FAILED and left out: {}", visible(program));
    }
    End::Failed
}
