package dev.berth;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.berth.testing.Answers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Holds the page about what users of other controllers asked for to the tests that show it. */
@Tag("slow")
class PeerIssuesTest {
    private static final Path PAGE = Path.of("docs/peer-issues.md");
    private static final Pattern ISSUE =
            Pattern.compile("\\(https://github\\.com/([^/]+/[^/]+)/(?:issues|pull)/(\\d+)\\)");
    private static final Pattern TEST = Pattern.compile("`(\\w+\\.\\w+)`");

    private static final List<JavaMethod> ANSWERS = answers();

    private static List<JavaMethod> answers() {
        // What they use of others is not looked at.
        return ArchConfiguration.withThreadLocalScope(config -> {
            config.setResolveMissingDependenciesFromClassPath(false);
            return new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.ONLY_INCLUDE_TESTS).importPackages("dev.berth").stream()
                            .map(JavaClass::getMethods)
                            .flatMap(
                                    methods -> methods.stream().filter(method -> method.isAnnotatedWith(Answers.class)))
                            .toList();
        });
    }

    /** The rows of the page's tables: issue, what one gets, tests. */
    private static List<String[]> rows() throws IOException {
        return Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("| ["))
                .map(line -> line.split("\\|"))
                .toList();
    }

    private static List<String> found(Pattern pattern, String text, String join) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult match) ->
                        match.groupCount() == 1 ? match.group(1) : match.group(1) + join + match.group(2))
                .toList();
    }

    @Test
    void thePage_namesTheTestsOfEachIssue_andNoOthers() throws IOException {
        TreeMap<String, TreeSet<String>> shown = new TreeMap<>();
        for (JavaMethod method : ANSWERS) {
            for (String issue : method.getAnnotationOfType(Answers.class).value()) {
                shown.computeIfAbsent(issue, none -> new TreeSet<>())
                        .add(method.getOwner().getSimpleName() + "." + method.getName());
            }
        }
        TreeMap<String, TreeSet<String>> told = new TreeMap<>();
        for (String[] row : rows()) {
            List<String> tests = found(TEST, row[3], "");
            for (String issue : found(ISSUE, row[1], "#")) {
                assertThat(told.put(issue, new TreeSet<>(tests))).as(issue).isNull();
                assertThat(tests.isEmpty())
                        .as("%s has no test, and says so", issue)
                        .isEqualTo(row[2].strip().startsWith("No."));
            }
        }
        told.values().removeIf(TreeSet::isEmpty);

        assertThat(shown).isEqualTo(told);
    }

    @Test
    void whatAnswersAnIssue_isATest() {
        assertThat(ANSWERS)
                .isNotEmpty()
                .allMatch(method -> method.isAnnotatedWith(Test.class) || method.isAnnotatedWith(TestFactory.class));
    }

    @Test
    @Answers("aws/eks-charts#1255")
    void nothingThatIsInstalled_standsInTheWayOfAServiceWhileItIsDown() throws IOException {
        assertThat(Files.readString(Path.of("src/main/kubernetes/berth.yaml")))
                .contains("kind: Deployment")
                .doesNotContain("WebhookConfiguration")
                .doesNotContain("kind: APIService")
                .doesNotContain("AdmissionPolicy");
    }
}
