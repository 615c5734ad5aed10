package dev.berth;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What is public is used by another package, be it one of tests. But for the kinds and the contract with providers: others
 * than Berth use these.
 */
@Tag("slow")
class VisibilityTest {
    private static final JavaClasses ALL = new ClassFileImporter().importPackages("dev.berth");

    /** Java and Quarkus create these. */
    private static final List<String> STARTED_BY_OTHERS =
            List.of("dev.berth.app.Main", "dev.berth.app.OperatorApplication");

    private static Stream<JavaClass> ours() {
        return ALL.stream()
                .filter(type -> type.getSource()
                        .filter(source -> source.getUri().getPath().contains("/classes/"))
                        .isPresent())
                .filter(type -> !type.getPackageName().startsWith("dev.berth.api.")
                        && !type.getPackageName().equals("dev.berth.provider")
                        && !ArchitectureTest.isGenerated(type.getName())
                        && !STARTED_BY_OTHERS.contains(type.getName()));
    }

    private static boolean isElsewhere(JavaClass user, JavaClass used) {
        return !user.getPackageName().equals(used.getPackageName());
    }

    private static boolean isUsedElsewhere(JavaCodeUnit unit) {
        return unit.getAccessesToSelf().stream().anyMatch(use -> isElsewhere(use.getOriginOwner(), unit.getOwner()));
    }

    /** It, or what is nested in it. */
    private static boolean isUsedElsewhere(JavaClass type) {
        return type.getDirectDependenciesToSelf().stream().anyMatch(use -> isElsewhere(use.getOriginClass(), type))
                || ALL.stream()
                        .filter(nested ->
                                nested.getEnclosingClass().filter(type::equals).isPresent())
                        .anyMatch(VisibilityTest::isUsedElsewhere);
    }

    /** What other packages get or give without naming its type. */
    private static Set<JavaClass> handedOn() {
        return ours().flatMap(type ->
                        Stream.<JavaCodeUnit>concat(type.getMethods().stream(), type.getConstructors().stream()))
                .filter(VisibilityTest::isUsedElsewhere)
                .flatMap(unit -> Stream.concat(Stream.of(unit.getReturnType()), unit.getParameterTypes().stream()))
                .map(JavaType::getAllInvolvedRawTypes)
                .flatMap(Set::stream)
                .collect(Collectors.toSet());
    }

    /** What is nested in an interface is public without anybody's having said so. */
    private static boolean isSaidToBePublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().filter(JavaClass::isInterface).isEmpty();
    }

    @Test
    void publicClass_isUsedByAnotherPackage() {
        Set<JavaClass> handedOn = handedOn();
        assertThat(ours().filter(VisibilityTest::isSaidToBePublic)
                        .filter(type -> !isUsedElsewhere(type) && !handedOn.contains(type))
                        .map(JavaClass::getName))
                .isEmpty();
    }

    /** Also where only the names and the number of parameters agree: those of a generic type do not. */
    private static boolean mayOverride(JavaMethod method) {
        return Stream.concat(
                        method.getOwner().getAllRawSuperclasses().stream(),
                        method.getOwner().getAllRawInterfaces().stream())
                .flatMap(type -> type.getMethods().stream())
                .anyMatch(above -> above.getName().equals(method.getName())
                        && above.getRawParameterTypes().size()
                                == method.getRawParameterTypes().size());
    }

    /** Of an enum, a record, or a lambda: these are public whether it is said or not. */
    private static boolean isByTheCompiler(JavaMethod method) {
        JavaClass owner = method.getOwner();
        return method.getModifiers().contains(JavaModifier.SYNTHETIC)
                || (owner.isEnum() && List.of("values", "valueOf").contains(method.getName()))
                || (owner.isRecord()
                        && method.getRawParameterTypes().isEmpty()
                        && owner.tryGetField(method.getName()).isPresent());
    }

    /** What has an annotation may be called by a framework. */
    @Test
    void publicMethod_isUsedByAnotherPackage_orOverrides() {
        assertThat(ours().filter(type -> !type.isInterface())
                        .flatMap(type -> type.getMethods().stream())
                        .filter(method -> method.getModifiers().contains(JavaModifier.PUBLIC)
                                && method.getAnnotations().isEmpty()
                                && !isByTheCompiler(method)
                                && !mayOverride(method)
                                && !isUsedElsewhere(method))
                        .map(JavaMethod::getFullName))
                .isEmpty();
    }
}
