package dev.berth;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.berth.kube.ApiBudget;
import dev.berth.kube.FabricClusterNetwork;
import dev.berth.kube.LiveAddresses;
import dev.berth.reason.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Holds the code to the table of packages in docs/architecture.md, and to rules that go for all of them. */
@Tag("slow")
class ArchitectureTest {
    private static final String[] PURE = {
        "dev.berth.duration..",
        "dev.berth.reason..",
        "dev.berth.ip..",
        "dev.berth.pool..",
        "dev.berth.claim..",
        "dev.berth.servicecidr..",
        "dev.berth.loadbalancer..",
        "dev.berth.announce..",
        "dev.berth.provider..",
        "dev.berth.migration.."
    };
    private static final Pattern PASCAL_CASE = Pattern.compile("[A-Z]+[a-z]\\w*");
    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.berth");

    @Test
    void purePackages_knowNoFramework() {
        noClasses()
                .that()
                .resideInAnyPackage(PURE)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.fabric8..", "io.quarkus..", "io.javaoperatorsdk..", "io.micrometer..", "org.slf4j..")
                .check(MAIN);
    }

    /** By the name of a constant, a reason could be written that is not in the list of all of them. */
    @Test
    void enumsOtherThanThatOfReasons_areWrittenInCapitals() {
        assertThat(MAIN.stream()
                        .filter(type -> type.isEnum() && !type.isEquivalentTo(Reason.class))
                        .filter(type -> type.getFields().stream()
                                .filter(field -> field.getRawType().equals(type))
                                .anyMatch(field ->
                                        PASCAL_CASE.matcher(field.getName()).matches()))
                        .map(JavaClass::getSimpleName))
                .as("but for values of flags")
                .containsExactlyInAnyOrder("Gate", "Mode");
    }

    /** One runs on each node. */
    @Test
    void agents_areLight() {
        noClasses()
                .that()
                .resideInAnyPackage("dev.berth.agent..", "dev.berth.host..")
                .or()
                .haveFullyQualifiedName("dev.berth.app.AgentCommand")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.quarkus..", "io.vertx..", "io.javaoperatorsdk..", "io.micrometer..", "jakarta..")
                .check(MAIN);
    }

    /** They are over in a second. */
    @Test
    void commandsOfPeople_doNotWaitForQuarkus() {
        noClasses()
                .that()
                .resideInAPackage("dev.berth.cli..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.quarkus..", "io.javaoperatorsdk..", "io.micrometer..", "jakarta..")
                .check(MAIN);
    }

    @Test
    void purePackages_haveNoClockAndNoRandomnessOfTheirOwn() {
        noClasses()
                .that()
                .resideInAnyPackage(PURE)
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(Math.class, "random")
                .orShould()
                .callMethod(java.time.Instant.class, "now")
                .orShould()
                .dependOnClassesThat()
                .belongToAnyOf(Clock.class, Random.class, java.util.UUID.class)
                .check(MAIN);
    }

    @Test
    void purePackages_makeNoSetOrMapWhoseOrderDiffersBetweenRuns() {
        noClasses()
                .that()
                .resideInAnyPackage(PURE)
                .should()
                .callMethod(Set.class, "copyOf", java.util.Collection.class)
                .orShould()
                .callMethod(Map.class, "copyOf", Map.class)
                .orShould()
                .callMethod(Set.class, "of", Object[].class)
                .orShould()
                .callMethod(Set.class, "of", Object.class, Object.class)
                .orShould()
                .callMethod(Set.class, "of", Object.class, Object.class, Object.class)
                .check(MAIN);
    }

    /**
     * What a package may import of ours, by docs/architecture.md.
     *
     * @param mayImport absent: everything
     */
    private record Row(String from, Optional<List<String>> mayImport) {
        private static final Pattern ROW =
                Pattern.compile("\\| `([a-z]+)` \\|.*\\| (none|all|(?:`[a-z]+`(?:, )?)+) \\|");
        private static final Pattern NAME = Pattern.compile("`([a-z]+)`");

        static List<Row> all() throws IOException {
            try (Stream<String> page = Files.lines(Path.of("docs/architecture.md"))) {
                return page.map(ROW::matcher)
                        .filter(Matcher::matches)
                        .map(row -> new Row(
                                row.group(1),
                                row.group(2).equals("all")
                                        ? Optional.empty()
                                        : Optional.of(NAME.matcher(row.group(2))
                                                .results()
                                                .map(name -> name.group(1))
                                                .toList())))
                        .toList();
            }
        }
    }

    @Test
    void eachPackage_isInTheTableOfThePage_once() throws IOException {
        assertThat(Row.all().stream().map(Row::from))
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(MAIN.stream()
                        .map(type -> type.getPackageName().split("\\.", -1)[2])
                        .distinct()
                        .toList());
    }

    /** The one who may import everything is imported by nobody, then: there are no cycles. */
    @Test
    void onlyOnePackage_mayImportAll() throws IOException {
        assertThat(Row.all().stream().filter(row -> row.mayImport().isEmpty()).map(Row::from))
                .containsExactly("app");
    }

    @Test
    void packages_importOnlyWhatThePageAllows() throws IOException {
        for (Row row : Row.all()) {
            if (row.mayImport().isEmpty()) {
                continue;
            }
            List<String> allowed = new ArrayList<>(List.of("java..", "javax..", "org.jspecify.."));
            allowed.add("dev.berth." + row.from() + "..");
            row.mayImport().get().forEach(name -> allowed.add("dev.berth." + name + ".."));
            if (!List.of("provider", "loadbalancer").contains(row.from())) {
                allowed.addAll(List.of("inet.ipaddr..", "io..", "org.slf4j..", "com.fasterxml.."));
            }
            if (row.from().equals("agent")) {
                // Of the messages that are generated from src/main/gobgp/proto.
                allowed.addAll(List.of("com.google.protobuf..", "com.google.common.."));
            }
            if (row.from().equals("cli")) {
                // The second says where a kubeconfig is no YAML.
                allowed.addAll(List.of("picocli..", "org.snakeyaml.engine.."));
            }
            if (row.from().equals("plugin")) {
                allowed.addAll(List.of("com.google.protobuf..", "com.google.rpc..", "com.google.common.."));
            }
            classes()
                    .that()
                    .resideInAPackage("dev.berth." + row.from() + "..")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(allowed.toArray(new String[0]))
                    .because("docs/architecture.md says what " + row.from() + " may import")
                    .check(MAIN);
        }
    }

    @Test
    void packages_haveNoCycles() {
        slices().matching("dev.berth.(*)..").should().beFreeOfCycles().check(MAIN);
        slices().matching("dev.berth.controller.(*)..")
                .should()
                .beFreeOfCycles()
                .check(MAIN);
    }

    @Test
    void dataPlanes_haveNoSiblings() {
        for (String planes : List.of("plugin", "dataplane")) {
            slices().matching("dev.berth." + planes + ".(*)..")
                    .should()
                    .notDependOnEachOther()
                    .check(MAIN);
        }
    }

    @Test
    void nothing_isNamedForWhatItIsNot() {
        noClasses()
                .should()
                .haveNameMatching("(?i).*(util|utils|common|helper|helpers|manager)(\\..*|\\$.*)?")
                .check(MAIN);
    }

    /** All of an operator's calls count against the API server's limits together; the audit is a command of its own. */
    @Test
    void apiBudget_isMadeOnceInAnOperator() {
        assertThat(callers(ApiBudget.class, "<init>"))
                .containsExactlyInAnyOrder(
                        "dev.berth.app.Wiring", "dev.berth.kube.FabricClusterNetwork", "dev.berth.kube.LiveAddresses");
        assertThat(callers(FabricClusterNetwork.class, "live")).containsExactly("dev.berth.kube.LiveAddresses");
        assertThat(callers(LiveAddresses.class, "<init>")).containsExactly("dev.berth.cli.AuditCommand");
    }

    /** The classes that call it from elsewhere, once for each call. */
    private static List<String> callers(Class<?> type, String member) {
        return MAIN.get(type).getAccessesToSelf().stream()
                .filter(access -> access.getTarget().getName().equals(member))
                .map(access -> access.getOriginOwner().getName())
                .filter(owner -> !owner.equals(type.getName()))
                .toList();
    }

    /** What has more is a state of its own, which wants names and transitions. */
    private static final int MUTABLE_FIELDS = 5;

    /**
     * Of the caches, which hold what is known: those of the agent are one for each kind, and one for all; of builders;
     * and of what picocli fills once. RATIONALE.md has the causes.
     */
    private static final List<String> MAY_HAVE_MORE = List.of(
            "dev.berth.kube.Caches",
            "dev.berth.agent.Reflector",
            "dev.berth.agent.ClusterView",
            "dev.berth.provider.LoadBalancerRequest$Builder",
            "dev.berth.app.AgentCommand",
            "dev.berth.app.OperatorOptions",
            "dev.berth.app.ProviderHostCommand");

    @Test
    void classes_haveFiveMutableFieldsAtMost() {
        assertThat(MAIN.stream()
                        .filter(type -> type.getFields().stream()
                                        .filter(ArchitectureTest::isMutable)
                                        .count()
                                > MUTABLE_FIELDS)
                        .map(JavaClass::getName)
                        .filter(name -> !MAY_HAVE_MORE.contains(name) && !isGenerated(name)))
                .isEmpty();
    }

    /** What is longer has more than one subject, or a reason. */
    private static final int LINES = 400;

    private static final Pattern CLASS_NAME = Pattern.compile("`([a-z0-9]+(?:\\.[a-z0-9]+)*\\.[A-Z][A-Za-z]*)`");

    /** Those of tests may be: they have one subject each, with as many cases as there are. */
    @Test
    void filesOfMain_have400LinesAtMost_orTheirReasonIsInTheRationale() throws IOException {
        Path main = Path.of("src/main/java/dev/berth");
        Set<String> named = Files.readAllLines(Path.of("RATIONALE.md")).stream()
                .dropWhile(line -> !line.equals("### Files of more than 400 lines"))
                .skip(1)
                .takeWhile(line -> !line.startsWith("#"))
                .flatMap(line -> CLASS_NAME.matcher(line).results())
                .map(name -> name.group(1).replace('.', '/') + ".java")
                .collect(Collectors.toSet());
        assertThat(named).isNotEmpty();
        try (Stream<Path> files = Files.walk(main)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (!named.contains(main.relativize(file).toString())) {
                    assertThat(Files.readAllLines(file)).as(file.toString()).hasSizeLessThanOrEqualTo(LINES);
                }
            }
        }
    }

    /** In more than these, one is easily taken for another: what belongs together is a record, and has a name. */
    private static final int PARAMETERS = 8;

    /** But those of records, which are their fields, and private ones, by which a class makes itself. */
    @Test
    void constructors_haveEightParametersAtMost() {
        assertThat(MAIN.stream()
                        .filter(type -> !type.isRecord() && !type.isAnonymousClass() && !isGenerated(type.getName()))
                        .flatMap(type -> type.getConstructors().stream())
                        .filter(constructor -> !constructor.getModifiers().contains(JavaModifier.PRIVATE)
                                && !constructor.getModifiers().contains(JavaModifier.SYNTHETIC)
                                && constructor.getRawParameterTypes().size() > PARAMETERS)
                        .map(JavaConstructor::getFullName))
                .isEmpty();
    }

    /** What may have more has more: else it need not be named. */
    @Test
    void classesThatMayHaveMoreMutableFields_do() {
        assertThat(MAY_HAVE_MORE)
                .allMatch(name -> MAIN.get(name).getFields().stream()
                                .filter(ArchitectureTest::isMutable)
                                .count()
                        > MUTABLE_FIELDS);
    }

    @Test
    void fieldIsMutable_ifItIsAssignedTwice_orWhatItHoldsIsChangedInPlace() {
        JavaClass sample = new ClassFileImporter().importClass(MutableFields.class);

        assertThat(sample.getFields().stream()
                        .filter(ArchitectureTest::isMutable)
                        .map(JavaField::getName))
                .containsExactlyInAnyOrder(
                        "assigned", "counted", "added", "mapped", "keys", "wrapped", "inConstructor");
    }

    static final class MutableFields {
        static final List<String> OF_ALL = new ArrayList<>();

        int assigned;
        final AtomicInteger counted = new AtomicInteger();
        final List<String> added = new ArrayList<>();
        final ConcurrentMap<String, String> mapped = new ConcurrentHashMap<>();
        final Set<String> keys = ConcurrentHashMap.newKeySet();
        final Set<String> wrapped = Collections.synchronizedSet(Collections.newSetFromMap(new HashMap<>()));
        final SequencedMap<String, String> inConstructor;
        final List<String> constant = List.of();
        final List<String> given;
        final Map<String, String> sealed = Collections.unmodifiableMap(new HashMap<>());

        MutableFields(List<String> given) {
            this.given = List.copyOf(given);
            inConstructor = new TreeMap<>();
            assigned = OF_ALL.size();
        }
    }

    /** A field that is assigned again, counted or set atomically, or holds a collection that is created to be changed. */
    private static boolean isMutable(JavaField field) {
        Set<JavaModifier> modifiers = field.getModifiers();
        if (modifiers.contains(JavaModifier.STATIC) || modifiers.contains(JavaModifier.SYNTHETIC)) {
            return false;
        }
        JavaClass type = field.getRawType();
        return !modifiers.contains(JavaModifier.FINAL)
                || type.getPackageName().equals("java.util.concurrent.atomic")
                || (isCollection(type)
                        && field.getAccessesToSelf().stream()
                                .filter(access -> access.getAccessType() == JavaFieldAccess.AccessType.SET)
                                .anyMatch(ArchitectureTest::createsItToBeChanged));
    }

    private static boolean isCollection(JavaClass type) {
        return type.isAssignableTo(Collection.class) || type.isAssignableTo(Map.class);
    }

    /** By the line: a class file does not say which call's result a field is assigned. */
    private static boolean createsItToBeChanged(JavaFieldAccess assignment) {
        List<? extends AccessTarget> called = assignment.getOrigin().getCallsFromSelf().stream()
                .filter(call -> call.getLineNumber() == assignment.getLineNumber())
                .map(JavaAccess::getTarget)
                .toList();
        boolean isSealed = called.stream()
                .anyMatch(one -> one.getName().startsWith("unmodifiable")
                        || one.getName().equals("copyOf"));
        return !isSealed
                && called.stream()
                        .anyMatch(one -> one.getName().equals("newKeySet")
                                || (one.getName().equals("<init>")
                                        && one.getOwner().getPackageName().startsWith("java.util")
                                        && isCollection(one.getOwner())));
    }

    /** What a process is started with is handed to whoever needs it. */
    @Test
    void noStaticField_isMutable() {
        assertThat(MAIN.stream()
                        .filter(type -> !isGenerated(type.getName()))
                        .flatMap(type -> type.getFields().stream())
                        .filter(field -> field.getModifiers().contains(JavaModifier.STATIC)
                                && !field.getModifiers().contains(JavaModifier.FINAL)
                                && !field.getModifiers().contains(JavaModifier.SYNTHETIC))
                        .map(JavaField::getFullName))
                .isEmpty();
    }

    /** From src/main/proto or src/main/gobgp/proto. */
    static boolean isGenerated(String name) {
        return name.contains(".v1.");
    }
}
