# `cmake --install` gives the library, its public headers, the command, the Python package, and what
# find_package(kinema) needs to offer the target kinema::kinema.

include(CMakePackageConfigHelpers)
set(KINEMA_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/kinema)

# The command and the Python package install themselves, in app/ and python/.
install(TARGETS kinema EXPORT kinemaTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(KINEMA_HAVE_CUDA_MODULE)
  install(TARGETS kinema_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/kinema DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The library looks for share/kinema above the folder that it lies in (src/io/files/library_place.h).
install(FILES ${PROJECT_SOURCE_DIR}/models/face.kface DESTINATION share/kinema OPTIONAL)

install(EXPORT kinemaTargets NAMESPACE kinema:: DESTINATION ${KINEMA_CONFIG_DIR})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/kinemaConfig.cmake.in ${PROJECT_BINARY_DIR}/kinemaConfig.cmake
  INSTALL_DESTINATION ${KINEMA_CONFIG_DIR})
# While the major version is 0, a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kinemaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kinemaConfig.cmake ${PROJECT_BINARY_DIR}/kinemaConfigVersion.cmake
        DESTINATION ${KINEMA_CONFIG_DIR})
if(BUILD_SHARED_LIBS)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/kinema.pc.in ${PROJECT_BINARY_DIR}/kinema.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/kinema.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
else()
  file(RELATIVE_PATH data_from_config /${KINEMA_CONFIG_DIR} /share/kinema)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/installed_data.cpp.in ${PROJECT_BINARY_DIR}/installed_data.cpp @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/installed_data.cpp DESTINATION ${KINEMA_CONFIG_DIR})
endif()
